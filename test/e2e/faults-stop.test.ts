import { Agent, request, type ClientRequest } from "node:http";
import { expect, test } from "vitest";
import { freshPhone, startContactLoad } from "../support/contact-load.ts";
import { eventually } from "../support/eventually.ts";
import { createProcessFixture, type ProcessFixture } from "../support/process-fixture.ts";
import { settleLedger } from "../support/ledger.ts";

test("SIGTERM under load: requests and POSTs under way finish, exit code 0 in 15 s, nothing is lost or repeated", async ({
  onTestFinished,
}) => {
  const fixture = await createProcessFixture();
  onTestFinished(fixture.stop);
  const { sink, account } = fixture;
  const [api, worker] = await Promise.all([fixture.startApi(), fixture.startWorker()]);
  // Slow enough that many posts are under way at the signal.
  sink.answer = (_, response) => void setTimeout(() => response.writeHead(204).end(), 1_000);
  const load = startContactLoad(api.url, account.apiKey, { lanes: 2 });
  await eventually(() => expect(sink.posts.length).toBeGreaterThan(20));
  const half = await beginContact(fixture, api.url, { Connection: "close" });

  const codes = [api.kill("SIGTERM"), worker.kill("SIGTERM")];
  await eventually(() => expect(api.output()).toContain("process.stopping"));
  expect(await half.finish()).toBe(201);
  // A process that does not end by itself ends with 1 after 14 s.
  expect(await Promise.all(codes)).toEqual([0, 0]);
  const calls = await load.stop();
  expect(await countUnderWay(fixture), "every POST begun has its outcome").toBe(0);
  await expect(fetch(`${api.url}/readyz`), "the port is closed").rejects.toThrow("fetch failed");

  sink.answer = (_, response) => void response.writeHead(204).end();
  await fixture.startWorker();
  expect(await settleLedger(fixture, calls)).toBe(0);
});

test("SIGTERM ends an api whose callers keep their connections open", async ({
  onTestFinished,
}) => {
  const fixture = await createProcessFixture();
  onTestFinished(fixture.stop);
  const api = await fixture.startApi();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const half = await beginContact(fixture, api.url, {}, agent);
  const signalledAt = performance.now();
  const ended = api.kill("SIGTERM").then((code) => [code, performance.now() - signalledAt]);
  await eventually(() => expect(api.output()).toContain("process.stopping"));
  expect(await half.finish()).toBe(201);
  const [code, ms] = await ended;
  expect(code).toBe(0);
  // After 10 s it closes the connections that are left.
  expect(ms).toBeLessThan(10_000);
});

/** Sends the head and the first half of a call. @returns how to send the rest, for the status. */
async function beginContact(
  { account }: ProcessFixture,
  apiUrl: string,
  headers: Record<string, string>,
  agent?: Agent,
): Promise<{ finish(): Promise<number> }> {
  const body = JSON.stringify({ phone: freshPhone() });
  const call = request(`${apiUrl}/api/v1/contacts`, {
    method: "POST",
    ...(agent === undefined ? {} : { agent }),
    headers: {
      authorization: `Bearer ${account.apiKey}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...headers,
    },
  });
  const status = statusOf(call);
  await new Promise<void>((resolve) => call.write(body.slice(0, 5), () => resolve()));
  // Its head has been read once a later call of the same process is answered.
  expect((await fetch(`${apiUrl}/healthz`)).status).toBe(200);
  return {
    async finish() {
      call.end(body.slice(5));
      return await status;
    },
  };
}

async function statusOf(call: ClientRequest): Promise<number> {
  return await new Promise((resolve, reject) => {
    call.once("error", reject);
    call.once("response", (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
  });
}

async function countUnderWay({ database }: ProcessFixture): Promise<number> {
  const [row] = await database.dataSource.query<{ n: string }[]>(
    "SELECT COUNT(*) AS n FROM delivery_attempts WHERE duration_ms IS NULL",
  );
  return Number(row?.n);
}
