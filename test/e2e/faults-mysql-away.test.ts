import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { startOwnMysql } from "../../tools/faults/own-servers.ts";
import {
  createContact,
  freshPhone,
  startContactLoad,
  type ContactCall,
} from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture } from "../support/process-fixture.ts";
import { settleLedger } from "../support/ledger.ts";
import { runFolder } from "../support/run-folder.ts";
import type { TestProcess } from "../support/process.ts";
import { useFixture } from "../support/use-fixture.ts";

const mysql = useFixture(async () => await startOwnMysql(runFolder));
const fixture = useFixture(async () => await createProcessFixture({ mysqlUrl: mysql.address }));
let api: TestProcess & { url: string };
let worker: TestProcess;
const calls: ContactCall[] = [];
let repeatsSoFar = 0;

beforeAll(async () => {
  [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker()]);
});

test("with MySQL killed for 20 s every call reads 503 within 2 s, and api and worker recover by themselves", async () => {
  const { sink, account } = fixture;
  // A host that has answered three is asked more than one at a time.
  calls.push(...(await startContactLoad(api.url, account.apiKey, { count: 3 }).done));
  await eventually(() => expect(sink.posts).toHaveLength(3));
  // Three deliveries are under way when it goes: their receivers have the event and answer after that.
  const held: ServerResponse[] = [];
  sink.answer = (_, response) => void held.push(response);
  calls.push(...(await startContactLoad(api.url, account.apiKey, { count: 3 }).done));
  await eventually(() => expect(held).toHaveLength(3));
  sink.answer = (_, response) => void response.writeHead(204).end();

  const load = startContactLoad(api.url, account.apiKey, { lanes: 4 });
  await eventually(() => expect(load.calls.length).toBeGreaterThan(20));
  await mysql.kill();
  const gone = performance.now();
  for (const response of held) response.writeHead(204).end();
  const before = load.calls.length;
  // An outage longer than the 8 s for which an outcome waits to be written down.
  await sleep(20_000);
  const during = load.calls.slice(before);
  expect(during.length).toBeGreaterThan(100);
  expect(during.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
  expect(during.filter(({ status, ms }) => status === 503 && ms > 2_000)).toEqual([]);
  expect(during.at(-1)).toMatchObject({ code: "service_unavailable", retryAfter: "5" });
  expect((await fetch(`${api.url}/readyz`)).status).toBe(503);
  expect((await fetch(`${api.url}/healthz`)).status).toBe(200);

  expect(performance.now() - gone).toBeGreaterThan(20_000);
  const underWay = countWithoutOutcome();
  expect(underWay).toBeGreaterThanOrEqual(3);

  await mysql.start();
  await eventually(() => expect(load.calls.at(-1)?.status).toBe(201));
  calls.push(...(await load.stop()));
  repeatsSoFar = await settleLedger(fixture, calls);
  // Each of them may go once more: for so long nobody could write down that it had arrived.
  expect(repeatsSoFar).toBeLessThanOrEqual(underWay);
  expectSameProcesses();
});

test("with MySQL frozen for 10 s no call takes longer, and all is well when it thaws", async () => {
  const { account } = fixture;
  const load = startContactLoad(api.url, account.apiKey, { lanes: 30 });
  await eventually(() => expect(load.calls.length).toBeGreaterThan(50));
  const before = load.calls.length;
  process.kill(mysql.pid(), "SIGSTOP");
  const keyed = createContact(api.url, account.apiKey, freshPhone(), {
    "Idempotency-Key": "frozen",
  });
  // The length of the pause is what is tried: calls must end before it does.
  await sleep(10_000);
  const answered = load.calls.slice(before);
  const underWay = countWithoutOutcome();
  process.kill(mysql.pid(), "SIGCONT");
  expect(answered.length, "callers have their answers while it is frozen").toBeGreaterThan(30);
  calls.push(...(await load.stop()), await keyed);
  expect(Math.max(...calls.map(({ ms }) => ms))).toBeLessThan(11_000);
  expect(calls.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);

  await eventually(async () => {
    const call = await createContact(api.url, account.apiKey, freshPhone());
    calls.push(call);
    expect(call.status).toBe(201);
  });
  expect(await settleLedger(fixture, calls)).toBeLessThanOrEqual(repeatsSoFar + underWay);
  expectSameProcesses();
});

test("an api or a worker started while MySQL is away ends at once and says which database is", async () => {
  const settings = { DATABASE_URL: "mysql://parley:secret@127.0.0.1:1/parley" };
  const launched = (["api", "worker"] as const).map((which) => fixture.launch(which, settings));
  expect(await Promise.all(launched.map(({ exited }) => exited))).toEqual([1, 1]);
  for (const one of launched) {
    expect(one.output()).toMatch(
      /^The database parley at 127.0.0.1:1 cannot be opened: .*REFUSED/m,
    );
    expect(one.output()).not.toContain("secret");
  }
});

/** Posts that arrived and that the worker has not logged as written down. */
function countWithoutOutcome(): number {
  const lines = worker.output().split("\n");
  const logged = lines.filter((line) => line.includes("delivery.attempted")).join("\n");
  return fixture.sink.posts.filter(
    ({ headers }) => !logged.includes(String(headers["x-service-event-id"])),
  ).length;
}

function expectSameProcesses(): void {
  for (const { pid } of [api, worker]) expect(process.kill(pid, 0)).toBe(true);
}
