import { beforeEach, expect, test } from "vitest";
import type { DeliveryState } from "../../../core/model/workflow/delivery.ts";
import { temporalSdkVersion, version } from "../../../core/version.ts";
import {
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import { insertRow, startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(
  async () =>
    await startApiFixture({ TEMPORAL_UI_URL: "http://ui.example/", TEMPORAL_NAMESPACE: "parley" }),
);
let own: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  for (const table of ["worker_heartbeats", "outbox", "deliveries"])
    await fixture.query(`DELETE FROM ${table}`);
  own = await createTestAccount(fixture.database.dataSource);
  other = await createTestAccount(fixture.database.dataSource);
});

async function read({ cookie } = own) {
  const answer = await fixture.api.call("GET", "/dashboard/api/system", { cookie });
  expect(answer.status).toBe(200);
  return answer.json.data;
}

async function insertWorker(id: string, reaches: boolean, secondsAgo = 0): Promise<void> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  await insertRow(fixture, "worker_heartbeats", {
    id,
    version: "0.9.0",
    temporal_reachable: reaches,
    temporal_version: reaches ? "1.31.0" : null,
    started_at: at,
    seen_at: at,
  });
}

let serial = 0;

async function insertDelivery(
  { accountId }: TestAccount,
  subscriptionId: number,
  state: DeliveryState,
  row: Record<string, unknown> = {},
): Promise<number> {
  const eventId = Buffer.alloc(16);
  eventId.writeUInt32BE((serial += 1), 12);
  return await insertRow(fixture, "deliveries", {
    account_id: accountId,
    event_id: eventId,
    subscription_id: subscriptionId,
    event_type: "contact.created",
    state,
    ...row,
  });
}

test("an installation without workers says so, with its versions; Temporal is not asked", async () => {
  expect(await read()).toStrictEqual({
    outbox: { rows: 0, oldest_seconds: 0, parked: 0, own_rows: 0, own_parked: 0 },
    deliveries: { queued: 0, sending: 0, waiting: 0, held: 0 },
    faults: [],
    workers: [],
    last_worker_seen_at: null,
    temporal: "unknown",
    versions: {
      parley: version,
      node: process.versions.node,
      mysql: expect.stringMatching(/^\d+\.\d+/),
      temporal: null,
      temporal_sdk: temporalSdkVersion,
    },
    temporal_ui_url: `http://ui.example/namespaces/parley/workflows?query=${encodeURIComponent(`AccountId="${own.accountId}"`)}`,
  });
});

test("workers seen lately are listed without their machines; one that reaches Temporal is enough", async () => {
  await insertWorker("secret-host:1:1", false);
  const away = await read();
  expect(away).toMatchObject({ temporal: "away", versions: { temporal: null } });
  expect(away.workers).toStrictEqual([
    {
      version: "0.9.0",
      temporal_reachable: false,
      started_at: expect.any(String),
      seen_at: expect.any(String),
    },
  ]);
  await insertWorker("secret-host:2:2", true);
  const reached = await read();
  expect(reached).toMatchObject({ temporal: "reached", versions: { temporal: "1.31.0" } });
  expect(reached.workers).toHaveLength(2);
  expect(JSON.stringify(reached)).not.toContain("secret-host");
});

test("a worker that fell silent is no longer listed, but when it was seen is", async () => {
  await insertWorker("gone", true, 3_600);
  const { workers, last_worker_seen_at: seenAt, temporal } = await read();
  expect([workers, temporal]).toEqual([[], "unknown"]);
  expect(Date.now() - Date.parse(seenAt)).toBeGreaterThan(3_500_000);
});

test("the outbox is counted for all accounts, and the account's own part of it", async () => {
  const insert = async ({ accountId }: TestAccount, parked: boolean) =>
    await insertRow(fixture, "outbox", {
      account_id: accountId,
      kind: "request",
      command: "{}",
      lane: `${accountId}:`,
      available_at: new Date(),
      parked_at: parked ? new Date() : null,
      created_at: new Date(Date.now() - 120_000),
    });
  await insert(own, false);
  await insert(own, true);
  await insert(other, false);
  await insert(other, false);
  await insert(other, true);
  const { outbox } = await read();
  expect(outbox).toMatchObject({ rows: 3, parked: 2, own_rows: 1, own_parked: 1 });
  expect(outbox.oldest_seconds).toBeGreaterThanOrEqual(120);
  expect((await read(other)).outbox).toMatchObject({ rows: 3, own_rows: 2, own_parked: 1 });
});

test("deliveries that are not over are counted by state, and those that failed are listed: the account's own", async () => {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(dataSource, own.accountId, { url });
  const theirs = await createTestSubscription(dataSource, other.accountId, { url });
  for (const state of ["queued", "sending", "sending", "held", "delivered"] as const)
    await insertDelivery(own, id, state);
  const failed = { attempts_made: 6, last_status_code: 503, workflow_id: "delivery-x-1" };
  const discarded = await insertDelivery(own, id, "discarded", {
    ...failed,
    updated_at: new Date(Date.now() - 60_000),
  });
  const waiting = await insertDelivery(own, id, "waiting", {
    attempts_made: 1,
    last_error_class: "connection_refused",
    updated_at: new Date(),
  });
  await insertDelivery(other, theirs.id, "discarded", failed);

  const { deliveries, faults } = await read();
  expect(deliveries).toEqual({ queued: 1, sending: 2, waiting: 1, held: 1 });
  expect(faults).toStrictEqual([
    {
      delivery_id: waiting,
      subscription_id: id,
      subscription_name: "hooks.example",
      event_type: "contact.created",
      state: "waiting",
      attempts_made: 1,
      status_code: null,
      error_class: "connection_refused",
      workflow_url: null,
      updated_at: expect.any(String),
    },
    {
      delivery_id: discarded,
      subscription_id: id,
      subscription_name: "hooks.example",
      event_type: "contact.created",
      state: "discarded",
      attempts_made: 6,
      status_code: 503,
      error_class: null,
      workflow_url: "http://ui.example/namespaces/parley/workflows/delivery-x-1",
      updated_at: expect.any(String),
    },
  ]);
  expect((await read(other)).faults).toHaveLength(1);
});

test("of many that failed the ten that changed last are listed, also of a deleted subscription", async () => {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(dataSource, own.accountId, { url });
  for (let minute = 0; minute < 12; minute += 1) {
    const updatedAt = new Date(Date.now() - minute * 60_000);
    await insertDelivery(own, id, minute % 2 ? "waiting" : "discarded", { updated_at: updatedAt });
  }
  await fixture.query("UPDATE subscriptions SET state = 'deleted' WHERE id = ?", [id]);
  const faults = (await read()).faults as { updated_at: string; subscription_name: null }[];
  const times = faults.map(({ updated_at: at }) => at);
  expect(times).toEqual(times.toSorted().toReversed());
  expect([times.length, faults[0]?.subscription_name]).toEqual([10, null]);
});
