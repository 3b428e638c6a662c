import { expect, test, vi } from "vitest";
import { version } from "../../../core/version.ts";
import { createRegistry, serveMetrics } from "../../../core/metrics.ts";
import { createDeps } from "../../../api/create-deps.ts";
import { createApp } from "../../../api/app.ts";
import { listen } from "../../../api/http/listen.ts";
import { createLog } from "../../../core/log.ts";
import { createTestSubscription } from "../../support/accounts.ts";
import { callApi, testConfig, plainInstallation } from "../../support/api.ts";
import { whileLocked } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);

const ready = async () => (await fixture.api.call("GET", "/readyz")).json;

test("healthz says that the process answers, to anyone", async () => {
  const answer = await fixture.api.call("GET", "/healthz");
  expect([answer.status, answer.json]).toEqual([200, { status: "ok", version }]);
});

test("readyz tells of the database, of what waits for Temporal and of the workers' view of it", async () => {
  const base = { status: "ready", version, database: "reached" };
  expect(await ready()).toStrictEqual({
    ...base,
    outbox: { rows: 0, oldest_seconds: 0, parked: 0 },
    temporal: "unknown",
    workers: 0,
  });
  const { accountId, apiKey } = fixture.account;
  await createTestSubscription(fixture.database.dataSource, accountId, {
    url: "http://127.0.0.1:9/",
  });
  await fixture.api.call("POST", "/api/v1/contacts", { apiKey, body: { email: "a@x.co" } });
  await fixture.query("UPDATE outbox SET created_at = UTC_TIMESTAMP(3) - INTERVAL 90 SECOND");
  const worker = { version: "1", temporal_reachable: 0 };
  const now = new Date();
  await insertRow(fixture, "worker_heartbeats", { ...worker, id: "here", seen_at: now });
  await insertRow(fixture, "worker_heartbeats", {
    ...worker,
    id: "gone",
    temporal_reachable: 1,
    seen_at: new Date(now.getTime() - 21_000),
  });
  // The figures of before are told for up to two seconds.
  const waiting = await eventually(async () => {
    const told = await ready();
    expect(told).toMatchObject({ ...base, temporal: "away", workers: 1, outbox: { rows: 1 } });
    return told;
  });
  expect(waiting.outbox.oldest_seconds).toBeGreaterThanOrEqual(90);
  expect(waiting.outbox.oldest_seconds).toBeLessThan(100);
  await insertRow(fixture, "worker_heartbeats", {
    ...worker,
    id: "two",
    temporal_reachable: 1,
    seen_at: new Date(),
  });
  await eventually(async () =>
    expect(await ready()).toMatchObject({ temporal: "reached", workers: 2 }),
  );
});

test("readyz stays ready while the outbox cannot be read in time, and tells no figure of it", async () => {
  const outbox = { rows: null, oldest_seconds: null, parked: null };
  await whileLocked(fixture.database.dataSource, "outbox", () =>
    eventually(async () => {
      const answer = await fixture.api.call("GET", "/readyz");
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ status: "ready", outbox });
    }, 15_000),
  );
  await eventually(async () => expect((await ready()).outbox.rows).toEqual(expect.any(Number)));
});

test("however many ask for readyz, one connection reads the figures, and the next caller gets the same", async () => {
  const { dataSource } = fixture.database;
  await whileLocked(dataSource, "outbox", async () => {
    const countReaders = async () => {
      const rows = await dataSource.query<unknown[]>(
        `SELECT 1 FROM information_schema.processlist
          WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%FROM outbox%'`,
      );
      return rows.length;
    };
    /** Asks at once. @returns the most readers that were seen until all have their answer */
    const ask = async (length: number) => {
      const asked = Array.from({ length }, () => fixture.api.call("GET", "/readyz"));
      let isAnswered = false;
      const answers = Promise.all(asked).finally(() => (isAnswered = true));
      let readers = 0;
      while (!isAnswered) readers = Math.max(readers, await countReaders());
      for (const { status } of await answers) expect(status).toBe(200);
      return readers;
    };
    // The figures of before are told for up to two seconds.
    let readers = 0;
    await eventually(async () => expect((readers = await ask(10))).toBeGreaterThan(0), 15_000);
    expect(readers).toBe(1);
    expect(await ask(1)).toBe(0);
  });
});

test("however many ask for readyz, one query at a time asks whether the database is there", async () => {
  const { manager } = fixture.database.dataSource;
  const query = manager.query.bind(manager);
  let asks = 0;
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const spy = vi
    .spyOn(manager, "query")
    .mockImplementation(async (...given: Parameters<typeof query>) => {
      if (given[0] === "SELECT 1") {
        asks += 1;
        await held;
      }
      return await query(...given);
    });
  try {
    const asked = Array.from({ length: 10 }, () => fixture.api.call("GET", "/readyz"));
    await eventually(() => expect(asks).toBeGreaterThan(0));
    // All of them have arrived by now: these calls came later and need no database.
    await Promise.all(Array.from({ length: 10 }, () => fixture.api.call("GET", "/healthz")));
    expect(asks).toBe(1);
    end();
    await Promise.all(asked);
  } finally {
    end();
    spy.mockRestore();
  }
});

test("figures name routes and statuses, never an account, a URL, a phone or an id", async () => {
  const registry = createRegistry();
  const config = testConfig(fixture.database);
  const { dataSource } = fixture.database;
  const deps = createDeps({
    config,
    dataSource,
    installation: plainInstallation,
    log: createLog("api", "silent"),
    registry,
  });
  const listening = await listen(createApp(deps), "127.0.0.1", 0);
  const url = `http://127.0.0.1:${listening.port}`;
  const { apiKey, cookie, email } = fixture.account;
  const body = { phone: "5215598765432", email: "figure@example.com", name: "Figurative" };
  const made = await callApi(url, "POST", "/api/v1/contacts", { apiKey, body });
  await callApi(url, "GET", "/api/v1/contacts?search=Figurative", { apiKey });
  await callApi(url, "GET", `/api/v1/contacts/${made.json.data.id}`, { apiKey });
  await callApi(url, "GET", "/api/v1/contacts/5215598765432", { apiKey });
  await callApi(url, "GET", "/nowhere/5215598765432");
  await callApi(url, "POST", "/dashboard/api/subscriptions", {
    cookie,
    body: { url: "http://127.0.0.1:9/canary", events: ["*"] },
  });
  const server = await serveMetrics(registry, { metricsHost: "127.0.0.1", metricsPort: 0 });
  const address = server?.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await answer.text();
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  server?.close();
  await listening.stop();
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(text).toContain(
    'parley_http_requests_total{method="GET",route="/api/v1/contacts/:id",status="404"} 1',
  );
  expect(text).toContain('parley_http_requests_total{method="GET",route="-",status="404"} 1');
  expect(text).toContain(
    'parley_http_request_seconds_count{method="POST",route="/api/v1/contacts"} 1',
  );
  for (const canary of [
    "5215598765432",
    "figure@",
    "Figurative",
    "canary",
    "127.0.0.1",
    apiKey,
    email,
    "nowhere",
  ]) {
    expect(text).not.toContain(canary);
  }
  expect(text).not.toMatch(/account|phone|email/i);
});

test("the public port has no metrics", async () => {
  expect((await fixture.api.call("GET", "/metrics")).status).toBe(404);
});
