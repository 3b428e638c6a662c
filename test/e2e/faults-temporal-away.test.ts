import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { prepareOwnTemporal } from "../../tools/faults/own-servers.ts";
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

const temporal = useFixture(async () => await prepareOwnTemporal(runFolder));
const fixture = useFixture(
  async () =>
    await createProcessFixture({
      temporal: { address: temporal.address, namespace: "default" },
    }),
);
let api: TestProcess & { url: string };
let worker: TestProcess;
const calls: ContactCall[] = [];

beforeAll(async () => {
  worker = fixture.launch("worker");
  api = await fixture.startApi();
});

test("a worker started before Temporal waits for it, and delivers what came meanwhile", async () => {
  await eventually(() => expect(worker.output()).toContain("temporal.away"));
  await create(20);
  // The figures are those of the last two seconds.
  await eventually(async () => {
    expect(await readiness()).toMatchObject({ temporal: "away", outbox: { rows: 20 } });
  });

  await temporal.start();
  expect(await settleLedger(fixture, calls)).toBe(0);
  expect(worker.output()).toContain("worker.started");
  expect(worker.output(), "runs carry search attributes").not.toContain("attributes_refused");
  await eventually(async () => expect(await readiness()).toMatchObject({ temporal: "reached" }));
});

test("with Temporal killed for a minute the api accepts at once, and the same worker delivers all after its return", async () => {
  const { sink, account } = fixture;
  sink.answer = (_, response) => void setTimeout(() => response.writeHead(204).end(), 2_000);
  calls.push(await createContact(api.url, account.apiKey, freshPhone()));
  await eventually(() => expect(sink.posts).toHaveLength(21));
  await temporal.kill();
  const gone = performance.now();
  sink.answer = (_, response) => void response.writeHead(204).end();
  await create(50);
  await eventually(async () => {
    expect(await readiness()).toMatchObject({ status: "ready", temporal: "away" });
  });
  await create(50);
  const { outbox } = await eventually(async () => {
    const figures = await readiness();
    expect(figures.outbox.rows).toBe(100);
    return figures;
  });
  expect(outbox.oldest_seconds).toBeGreaterThan(1);
  // The length of the outage is what is tried: the pollers' patience and the relay's pauses grow.
  await sleep(Math.max(0, 60_000 - (performance.now() - gone)));

  await temporal.start();
  // The POST under way at the kill was written down in MySQL, so its run finds that and repeats nothing.
  expect(await settleLedger(fixture, calls)).toBe(0);
  expect(process.kill(worker.pid, 0), "the same worker process").toBe(true);
  await eventually(async () => expect(await readiness()).toMatchObject({ temporal: "reached" }));
});

/** Creates contacts, each of which must be answered promptly. */
async function create(count: number): Promise<void> {
  const made = await startContactLoad(api.url, fixture.account.apiKey, { count }).done;
  expect(made.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 201));
  expect(Math.max(...made.map(({ ms }) => ms))).toBeLessThan(1_500);
  calls.push(...made);
}

interface Readiness {
  status: string;
  temporal: string;
  outbox: { rows: number; oldest_seconds: number };
}

async function readiness(): Promise<Readiness> {
  return (await (await fetch(`${api.url}/readyz`)).json()) as Readiness;
}
