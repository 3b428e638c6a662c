import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../support/accounts.ts";
import { startDashboard, type DashboardFixture } from "../support/dashboard-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startWorkerProcess, type TestProcess } from "../support/process.ts";
import { startSink, type Sink } from "../support/sink.ts";
import { createNamespace } from "../support/worker.ts";
import { startWire, type CuttableLink } from "../worker/engine/relay-fixture.ts";

let fixture: DashboardFixture;
let account: TestAccount;
let sink: Sink;
let wire: CuttableLink;
let worker: TestProcess;

beforeAll(async () => {
  fixture = await startDashboard({ TEMPORAL_UI_URL: "http://127.0.0.1:9/ui" });
  wire = await startWire();
  const temporal = { TEMPORAL_ADDRESS: wire.address };
  worker = await startWorkerProcess(fixture.database.url, await createNamespace(), temporal);
  sink = await startSink();
}, 90_000);

beforeEach(async () => {
  account = await createTestAccount(fixture.database.dataSource);
});

afterAll(async () => {
  await worker.kill("SIGKILL");
  await wire.stop();
  await sink.stop();
  await fixture.stop();
});

async function open(path = "/system") {
  return (await fixture.open(path, { as: account.cookie })).page;
}

async function call(method: string, path: string, body?: unknown) {
  const { cookie } = account;
  return await fixture.api.call(method, `/dashboard/api${path}`, { cookie, body });
}

test("while everything runs the page says so, with the versions and a way to the account's runs", async () => {
  const page = await open();
  await page.getByText("All systems operational", { exact: true }).waitFor();
  await page.getByText("Reaches Temporal").waitFor();
  const versions = page.getByRole("table", { name: "Versions" });
  const temporal = versions.getByRole("row", { name: /^Temporal \d+\.\d+\.\d+/ });
  await temporal.waitFor();
  const { data } = (await call("GET", "/system")).json;
  expect(await temporal.innerText()).toContain(data.versions.temporal);
  const link = page.getByRole("link", { name: "Open Temporal UI" });
  const query = encodeURIComponent(`AccountId="${account.accountId}"`);
  expect(await link.getAttribute("href")).toBe(
    `http://127.0.0.1:9/ui/namespaces/default/workflows?query=${query}`,
  );
});

test("a delivery that fails is listed with its answer, and a click leads to its attempts", async () => {
  sink.answer = (_posted, response) => response.writeHead(503).end("closed");
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  const page = await open();
  await page.getByText("Nothing has failed").waitFor();
  expect((await call("POST", `/subscriptions/${id}/test`)).status).toBe(202);
  const faults = page.getByRole("region", { name: "What failed last" });
  await faults.getByText("HTTP 503").waitFor();
  const waiting = page.getByRole("table", { name: "Your deliveries" }).getByRole("row", {
    name: "Retrying 1",
  });
  await waiting.waitFor();
  const run = faults.getByRole("link", { name: "Open Temporal UI" });
  expect(await run.getAttribute("href")).toMatch(/\/workflows\/delivery-[\w-]+$/);
  await faults.getByRole("link", { name: "test.ping" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/webhooks/${id}?delivery=*`);
  await page.getByRole("dialog").getByText("503 Service Unavailable", { exact: true }).waitFor();
});

test("with Temporal away the page answers at once and says so, and that it is back, by itself", async () => {
  const page = await open();
  await page.getByText("All systems operational", { exact: true }).waitFor();
  wire.cut();
  await page.getByText("Temporal does not answer").waitFor({ timeout: 30_000 });
  await page.getByText("Does not reach Temporal").waitFor();
  const { id } = await createTestSubscription(fixture.database.dataSource, account.accountId, {
    url: `${sink.url}/hook`,
  });
  await call("POST", `/subscriptions/${id}/test`);
  await page.getByRole("row", { name: /^Of your account 1$/ }).waitFor();
  const askedAt = performance.now();
  const answer = await call("GET", "/system");
  expect([answer.status, answer.json.data.temporal]).toEqual([200, "away"]);
  expect(answer.json.data.versions.temporal).toMatch(/^\d+\.\d+/);
  expect(performance.now() - askedAt).toBeLessThan(2_000);

  wire.mend();
  await page.getByText("All systems operational", { exact: true }).waitFor({ timeout: 60_000 });
  await page.getByRole("row", { name: /^Of your account 0$/ }).waitFor();
}, 120_000);

test("an outbox that is behind and rows that Temporal refused are said in words", async () => {
  const row = "account_id, kind, command, lane, available_at, created_at, parked_at";
  const waited = "UTC_TIMESTAMP(3) - INTERVAL 3 MINUTE";
  const { dataSource } = fixture.database;
  // Due in a year, so that the worker leaves it where it is.
  await dataSource.query(
    `INSERT INTO outbox (${row}) VALUES
       (?, 'request', '{}', 'x:', UTC_TIMESTAMP(3) + INTERVAL 1 YEAR, ${waited}, NULL),
       (?, 'request', '{}', 'x:', '9999-12-31', ${waited}, ${waited})`,
    [account.accountId, account.accountId],
  );
  const page = await open();
  await page.getByText("The outbox is behind").waitFor();
  await page.getByText(/^Its oldest row has waited for 3:\d\d\./).waitFor();
  await page.getByText("Temporal refused 1 request for good").waitFor();
  expect(await page.getByText("All systems operational", { exact: true }).count()).toBe(0);
  await dataSource.query("DELETE FROM outbox WHERE lane = 'x:'");
  await page.getByText("All systems operational", { exact: true }).waitFor();
});

test("one worker among several that does not reach Temporal is told of", async () => {
  const { dataSource } = fixture.database;
  await dataSource.query(
    `INSERT INTO worker_heartbeats (id, version, temporal_reachable, started_at, seen_at)
     VALUES ('other', '1', 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 1 HOUR)`,
  );
  const page = await open();
  await page.getByText("A worker does not reach Temporal").waitFor();
  expect(await page.getByText("Reaches Temporal", { exact: true }).count()).toBe(1);
  await dataSource.query("DELETE FROM worker_heartbeats WHERE id = 'other'");
  await page.getByText("All systems operational", { exact: true }).waitFor();
});

test("an agent is told that the page is for admins, and finds no way there", async () => {
  const agent = await createTestAccount(fixture.database.dataSource, { role: "agent" });
  const { page } = await fixture.open("/system", { as: agent.cookie });
  await page.getByText("Only an admin may do this.").waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("link", { name: "People" }).waitFor();
  expect(await page.getByRole("link", { name: "System" }).count()).toBe(0);
});

test("without a worker the page says that nothing is sent, and since when", async () => {
  await worker.kill("SIGKILL");
  await fixture.database.dataSource.query(
    "UPDATE worker_heartbeats SET seen_at = UTC_TIMESTAMP(3) - INTERVAL 5 MINUTE",
  );
  const page = await open();
  await page.getByText("No worker runs").waitFor();
  await page.getByText("None. The last one was seen 5 min. ago").waitFor();
  await eventually(async () =>
    expect(await page.getByText("All systems operational", { exact: true }).count()).toBe(0),
  );
});
