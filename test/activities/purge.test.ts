import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { CancelledFailure } from "@temporalio/common";
import { beforeEach, expect, test } from "vitest";
import { createPurge } from "../../activities/purge.ts";
import { RetryLaterError } from "../../activities/retry-later.ts";
import { deliveryStates, finishedDeliveryStates } from "../../core/model/workflow/delivery.ts";
import {
  retentionMs,
  type PurgeProgress,
  type RetentionKind,
} from "../../core/model/workflow/retention.ts";
import { purgeBatch } from "../../core/services/operations/retention.ts";
import { uuidToBytes } from "../../db/entities/columns.ts";
import { asSystem } from "../support/accounts.ts";
import { whileLocked } from "../support/database.ts";
import { createActivityEnvironment, runActivity } from "../support/activity.ts";
import { eventually } from "../support/eventually.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import * as rows from "./channel-rows.ts";
import {
  auditRow,
  busyBlockRow,
  calendarChangeRow,
  calendlyRequestRow,
  importRows,
  insertInto,
  mailRow,
  visitSessionRow,
} from "./purge-rows.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(createAttemptFixture);
const kinds = Object.keys(retentionMs) as RetentionKind[];
const minuteMs = 60_000;

beforeEach(async () => {
  for (const table of [...kinds, "notification_reads"]) await query(`DELETE FROM ${table}`);
});

async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return await fixture.database.dataSource.query<Row[]>(sql, values);
}

const insert = async (table: string, row: Record<string, unknown>): Promise<number> =>
  await insertInto(fixture.database.dataSource, table, row);

let count = 0;

function unique(): string {
  return `u${(count += 1)}`;
}

/** An event that happened then. @returns its id. */
async function addEvent(at: Date): Promise<Buffer> {
  const id = uuidToBytes(uuidv7({ msecs: at.getTime() }));
  const account_id = fixture.account.accountId;
  await insert("events", { id, account_id, type: "contact.created", body: "{}", occurred_at: at });
  return id;
}

async function addDelivery(
  state: string,
  finishedAt: Date | null,
  eventId: Buffer = Buffer.from(unique().padEnd(16)),
): Promise<number> {
  return await insert("deliveries", {
    account_id: fixture.account.accountId,
    event_id: eventId,
    subscription_id: 1,
    event_type: "contact.created",
    state,
    finished_at: finishedAt,
    created_at: "2020-01-01",
    updated_at: "2020-01-01",
  });
}

async function addAttempt(deliveryId: number, at: Date, seq = 1): Promise<number> {
  return await insert("delivery_attempts", {
    account_id: fixture.account.accountId,
    delivery_id: deliveryId,
    run: 1,
    seq,
    number: 1,
    started_at: at,
    request_url: "https://x/",
  });
}

async function addSecret(table: string, owner: string, validUntil: Date | null): Promise<number> {
  const sealed = { sealed: "v1.k.n.t.c", key_id: "k" };
  return await insert(table, {
    account_id: 1,
    [owner]: 1,
    ...sealed,
    valid_until: validUntil,
    created_at: "2020-01-01",
  });
}

const hash = () => Buffer.from(unique().padEnd(32));

const oneTurn = () => ({ account_id: 1, turn_id: 1, seq: (count += 1) });
const ids = { account_id: 1, conversation_id: 1, contact_id: 1 };

/** How a row of each kind is made that is as old as `at`. */
const add: Record<RetentionKind, (at: Date) => Promise<unknown>> = {
  delivery_attempts: async (at) => await addAttempt(await addDelivery("delivered", new Date()), at),
  deliveries: (at) => addDelivery("delivered", at),
  events: addEvent,
  inbound_requests: (at) =>
    insert("inbound_requests", {
      account_id: 1,
      endpoint_id: 1,
      received_at: at,
      verdict: "done",
      status_code: 200,
      duration_ms: 1,
    }),
  inbound_events: (at) =>
    insert("inbound_events", {
      account_id: 1,
      endpoint_id: 1,
      event_id: unique(),
      body_hash: hash(),
      lease_until: at,
      created_at: at,
    }),
  idempotency_keys: (at) =>
    insert("idempotency_keys", {
      account_id: 1,
      api_key_id: 1,
      method: "POST",
      path: "/",
      value: unique(),
      body_hash: hash(),
      lease_until: at,
      created_at: at,
    }),
  sessions: (at) =>
    insert("sessions", {
      token_hash: hash(),
      user_id: 1,
      account_id: 1,
      last_seen_at: at,
      expires_at: at,
    }),
  user_links: (at) =>
    insert("user_links", {
      account_id: 1,
      kind: "invitation",
      token_hash: hash(),
      expires_at: at,
      created_by_user_id: 1,
    }),
  notifications: async (at) => {
    const id = await insert("notifications", {
      account_id: 1,
      kind: "delivery_discarded",
      params: "{}",
      dedupe_key: unique(),
      group_key: "g",
      created_at: at,
    });
    await insert("notification_reads", { user_id: 1, notification_id: id });
  },
  worker_heartbeats: (at) =>
    insert("worker_heartbeats", { id: unique(), version: "1", temporal_reachable: 1, seen_at: at }),
  subscription_secrets: (at) => addSecret("subscription_secrets", "subscription_id", at),
  inbound_endpoint_secrets: (at) => addSecret("inbound_endpoint_secrets", "endpoint_id", at),
  widget_secrets: (at) => addSecret("widget_secrets", "widget_id", at),
  widget_sessions: (at) => insert("widget_sessions", visitSessionRow(at, unique(), hash())),
  busy_blocks: (at) => insert("busy_blocks", busyBlockRow(at, unique())),
  calendar_changes: (at) => insert("calendar_changes", calendarChangeRow(at, unique())),
  mails: (at) => insert("mails", mailRow(at)),
  agent_steps: (at) => insert("agent_steps", { ...oneTurn(), state: "done", created_at: at }),
  agent_tool_calls: (at) =>
    insert("agent_tool_calls", {
      ...ids,
      ...oneTurn(),
      position: 0,
      call_id: "c",
      tool: "add_note",
      code: "ok",
      created_at: at,
    }),
  agent_turns: (at) =>
    insert("agent_turns", {
      ...ids,
      epoch: 0,
      watermark: 1,
      settings_number: 1,
      mode: "live",
      engine: "basic",
      created_at: at,
    }),
  agent_drafts: (at) =>
    insert("agent_drafts", {
      ...ids,
      turn_id: (count += 1),
      source: "automatic",
      text: "Hola",
      proposals: "[]",
      state: "stale",
      created_at: at,
    }),
  knowledge_gaps: (at) =>
    insert("knowledge_gaps", {
      ...ids,
      turn_id: (count += 1),
      question: "q",
      language: "es",
      created_at: at,
    }),
  agent_ratings: (at) =>
    insert("agent_ratings", {
      account_id: 1,
      conversation_id: 1,
      message_id: (count += 1),
      user_id: 1,
      value: "up",
      created_at: at,
    }),
  channel_app_secrets: (at) => insert("channel_app_secrets", rows.channelSecretRow(at)),
  channel_webhooks: (at) => insert("channel_webhooks", rows.channelWebhookRow(at)),
  channel_items: (at) => insert("channel_items", rows.channelItemRow(at, hash())),
  channel_templates: (at) => insert("channel_templates", rows.channelTemplateRow(at, unique())),
  audit_log: (at) => insert("audit_log", auditRow(at)),
  calendly_requests: (at) => insert("calendly_requests", calendlyRequestRow(at, hash())),
  ...importRows(insert),
};

const ago = (ms: number): Date => new Date(Date.now() - ms);

async function countOf(table: string): Promise<number> {
  const [row] = await query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
  return Number(row?.n);
}

async function purgeAll(kind: RetentionKind): Promise<number> {
  return (await runActivity(() => fixture.activities.purgeOld({ kind, after: null }))).deleted;
}

/** A whole purge in small batches. @returns how many rows each of them deleted. */
async function purgeInSevens(kind: RetentionKind): Promise<number[]> {
  const batches: number[] = [];
  let progress: PurgeProgress = { deleted: 0, after: null };
  do {
    const input = { kind, after: progress.after };
    progress = await asSystem(fixture.database.dataSource, 0, (tx) => purgeBatch(tx, input, 7));
    batches.push(progress.deleted);
  } while (progress.after !== null);
  return batches;
}

test.each(kinds)("%s: just older goes, just younger stays, other kinds stay", async (kind) => {
  for (const one of kinds) {
    await add[one](ago(retentionMs[one] + minuteMs));
    await add[one](ago(retentionMs[one] - minuteMs));
  }
  const before = new Map<string, number>();
  for (const one of kinds) before.set(one, await countOf(one));
  expect(await purgeAll(kind)).toBe(1);
  for (const one of kinds) {
    expect([one, await countOf(one)]).toEqual([
      one,
      Number(before.get(one)) - (one === kind ? 1 : 0),
    ]);
  }
  expect(await purgeAll(kind)).toBe(0);
});

test("a notification takes with it who has read it, and only that", async () => {
  await add.notifications(ago(retentionMs.notifications + minuteMs));
  await add.notifications(ago(minuteMs));
  await purgeAll("notifications");
  const orphans = await query(
    "SELECT 1 FROM notification_reads WHERE notification_id NOT IN (SELECT id FROM notifications)",
  );
  expect([orphans, await countOf("notification_reads")]).toEqual([[], 1]);
});

test("what is open or held stays for ever: its delivery, its attempts, its event", async () => {
  const years = ago(5 * 365 * 86_400_000);
  for (const state of deliveryStates) {
    const finished = finishedDeliveryStates.some((one) => one === state);
    const deliveryId = await addDelivery(state, finished ? years : null, await addEvent(years));
    await addAttempt(deliveryId, years);
  }
  for (const kind of kinds) await purgeAll(kind);
  const left = await query<{ state: string }>(
    `SELECT d.state FROM deliveries d JOIN events e ON e.id = d.event_id
       JOIN delivery_attempts a ON a.delivery_id = d.id ORDER BY d.state`,
  );
  expect(left.map(({ state }) => state)).toEqual(["held", "queued", "sending", "waiting"]);
  expect([await countOf("events"), await countOf("delivery_attempts")]).toEqual([4, 4]);
});

test("a secret that still signs stays, however old", async () => {
  const current = await addSecret("subscription_secrets", "subscription_id", null);
  await addSecret("subscription_secrets", "subscription_id", ago(365 * 86_400_000));
  expect(await purgeAll("subscription_secrets")).toBe(1);
  expect(await query("SELECT id FROM subscription_secrets")).toEqual([{ id: current }]);
});

test("an open row with an end written down by mistake stays too", async () => {
  await addDelivery("waiting", ago(retentionMs.deliveries * 2));
  expect(await purgeAll("deliveries")).toBe(0);
});

test("an event goes in the run after its last delivery has gone", async () => {
  const at = ago(retentionMs.events + minuteMs);
  const eventId = await addEvent(at);
  const deliveryId = await addDelivery("discarded", ago(minuteMs), eventId);
  expect(await purgeAll("events")).toBe(0);
  await query("UPDATE deliveries SET finished_at = ? WHERE id = ?", [at, deliveryId]);
  expect([await purgeAll("deliveries"), await purgeAll("events")]).toEqual([1, 1]);
});

test("a delivery takes along attempts that were left", async () => {
  const deliveryId = await addDelivery("delivered", ago(retentionMs.deliveries + minuteMs));
  await addAttempt(deliveryId, ago(minuteMs));
  await purgeAll("deliveries");
  expect(await countOf("delivery_attempts")).toBe(0);
});

test("batches go on behind what is kept, of one moment too, and end", async () => {
  const at = ago(retentionMs.delivery_attempts + minuteMs);
  const held = await addDelivery("held", null);
  const over = await addDelivery("delivered", ago(minuteMs));
  for (let seq = 1; seq <= 25; seq += 1) {
    await addAttempt(held, at, seq);
    await addAttempt(over, at, seq);
  }
  const batches = await purgeInSevens("delivery_attempts");
  expect(batches).toHaveLength(8);
  expect(Math.max(...batches)).toBeLessThanOrEqual(7);
  expect(batches.reduce((sum, deleted) => sum + deleted)).toBe(25);
});

test.each<RetentionKind>(["inbound_requests", "events", "deliveries"])(
  "two at once, over several batches of %s, delete each row once",
  async (kind) => {
    const at = ago(retentionMs[kind] + minuteMs);
    for (let n = 0; n < 60; n += 1) await add[kind](at);
    const run = () => purgeInSevens(kind);
    await Promise.all([run(), run(), run()]);
    await run();
    expect(await countOf(kind)).toBe(0);
  },
);

test("a row that somebody holds is passed over, not waited for", async () => {
  await add.idempotency_keys(ago(retentionMs.idempotency_keys + minuteMs));
  await asSystem(fixture.database.dataSource, 0, async (tx) => {
    await tx.manager.query("SELECT id FROM idempotency_keys FOR UPDATE");
    expect(await purgeAll("idempotency_keys")).toBe(0);
  });
  expect(await purgeAll("idempotency_keys")).toBe(1);
});

async function addOldKeys(count: number): Promise<void> {
  const at = ago(retentionMs.idempotency_keys + minuteMs);
  for (let n = 0; n < count; n += 1) await add.idempotency_keys(at);
}

test("a purge rests for five times as long as each of its transactions took", async () => {
  await addOldKeys(201);
  const startedAt = performance.now();
  const { purged } = await whileLocked(fixture.deps.dataSource, "idempotency_keys", async () => {
    const begun = { purged: purgeAll("idempotency_keys") };
    await sleep(200);
    return begun;
  });
  expect(await purged).toBe(201);
  expect(performance.now() - startedAt).toBeGreaterThan(1_150);
});

test("a purge whose process is to stop ends in the middle of a rest, and tells how far it came", async () => {
  await addOldKeys(401);
  const stopping = new AbortController();
  const purge = createPurge({ ...fixture.deps, stopping: stopping.signal });
  const { purged } = await whileLocked(fixture.deps.dataSource, "idempotency_keys", async () => {
    const begun = {
      purged: runActivity(() =>
        purge.purgeOld({
          kind: "idempotency_keys",
          after: null,
        }),
      ),
    };
    await sleep(1_000);
    return begun;
  });
  // It rests for five seconds now.
  await eventually(async () => expect(await countOf("idempotency_keys")).toBe(201));
  stopping.abort();
  const { deleted, after } = await purged;
  expect([deleted, after]).toEqual([200, expect.any(String)]);
  const next = { kind: "idempotency_keys", after } as const;
  await expect(runActivity(() => purge.purgeOld(next))).rejects.toThrow(RetryLaterError);
  expect((await runActivity(() => fixture.activities.purgeOld(next))).deleted).toBe(201);
});

test("a purge that an operator cancels ends in the middle of a rest", async () => {
  await addOldKeys(401);
  const environment = createActivityEnvironment();
  const told = new Promise((resolve) => environment.once("heartbeat", resolve));
  const input = { kind: "idempotency_keys", after: null } as const;
  const { purged } = await whileLocked(fixture.deps.dataSource, "idempotency_keys", async () => {
    const begun = { purged: environment.run(() => fixture.activities.purgeOld(input)) };
    await sleep(1_000);
    return begun;
  });
  await eventually(async () => expect(await countOf("idempotency_keys")).toBe(201));
  environment.cancel();
  await expect(purged).rejects.toBeInstanceOf(CancelledFailure);
  expect(await told).toEqual({ deleted: 200, after: expect.any(String) });
});

test("a step whose worker died goes on where the last heartbeat says", async () => {
  await addOldKeys(3);
  const known = { deleted: 200, after: null };
  const environment = createActivityEnvironment({ heartbeatDetails: known });
  const input = { kind: "idempotency_keys", after: "nowhere" } as const;
  expect(await environment.run(() => fixture.activities.purgeOld(input))).toEqual({
    deleted: 203,
    after: null,
  });
});
