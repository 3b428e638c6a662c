import { afterAll, beforeAll, expect, test } from "vitest";
import type { DataSource } from "typeorm";
import { deliveryStates } from "../../core/model/delivery.ts";
import type { RetentionKind } from "../../core/model/retention.ts";
import { createAgentMessage } from "../../core/services/agent-messages.ts";
import {
  listConversations,
  type ConversationFilter,
} from "../../core/services/conversation-list.ts";
import { lockNewest, setBot } from "../../core/services/conversations.ts";
import { listMessages } from "../../core/services/messages.ts";
import { claimDue } from "../support/outbox.ts";
import { beginAttempts } from "../../core/services/begin-attempts.ts";
import { completeAttempts } from "../../core/services/complete-attempts.ts";
import { listContacts, upsertContact } from "../../core/services/contacts.ts";
import { eraseContact } from "../../core/services/contact-erasure.ts";
import { listTimeline } from "../../core/services/contact-timeline.ts";
import { eraseContactEvents } from "../../core/services/contact-traces.ts";
import { listDeliveries } from "../../core/services/deliveries.ts";
import { getFirstRun } from "../../core/services/first-run.ts";
import { listNotificationGroups, markGroupRead } from "../../core/services/notification-groups.ts";
import { listNotifications } from "../../core/services/notifications.ts";
import { measureSystem } from "../../core/services/system.ts";
import { findApiKeyPrincipal } from "../../core/services/api-keys.ts";
import { listOverdue } from "../../core/services/lost-deliveries.ts";
import { listSubscriptionStats } from "../../core/services/subscription-stats.ts";
import { purgeBatch } from "../../core/services/retention.ts";
import { findSession } from "../../core/services/users.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { explain, explainTable, type Work } from "../support/query-plans.ts";

let database: TestDatabase;
let dataSource: DataSource;
const accounts = 4;
const rows = 3_000;
/** Of account 2, as every look is; half of all messages are in it. */
const longConversation = 41;
const page = { limit: 50, offset: 0 };

beforeAll(async () => {
  database = await createTestDatabase();
  ({ dataSource } = database);
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})`;
  const fill = async (table: string, columns: string, select: string) =>
    await dataSource.query(`INSERT INTO ${table} (${columns}) ${numbers} SELECT ${select} FROM n`);
  const account = `1 + i % ${accounts}`;
  const states = deliveryStates.map((state) => `'${state}'`).join(", ");
  await dataSource.query("SET SESSION cte_max_recursion_depth = 1000000");
  await fill(
    "contacts",
    "account_id, name, phone, phone_key, email, source, created_at",
    `${account}, CONCAT('n', i), 34600000000 + i, 34600000000 + i, CONCAT(i, '@x.co'), 'api', NOW() - INTERVAL i SECOND`,
  );
  await fill(
    "subscriptions",
    "account_id, name, url, events, state",
    `${account}, 's', 'https://x/', '["*"]', ELT(1 + i % 4, 'active', 'paused', 'disabled', 'deleted')`,
  );
  await fill(
    "events",
    "id, account_id, type, body, occurred_at",
    `UNHEX(LPAD(HEX(i), 32, '0')), ${account}, 'contact.created', '{}', NOW()`,
  );
  await fill(
    "deliveries",
    "account_id, event_id, subscription_id, event_type, state",
    `${account}, UNHEX(LPAD(HEX(i), 32, '0')), 1 + i % 40, 'contact.created', ELT(1 + i % ${deliveryStates.length}, ${states})`,
  );
  await fill(
    "delivery_attempts",
    "account_id, delivery_id, subscription_id, run, seq, number, started_at, started_hour, request_url",
    `${account}, i, 1 + i % 40, 1, 1, 1, NOW(), UNIX_TIMESTAMP() DIV 3600 - i % 24, 'https://x/'`,
  );
  await fill(
    "outbox",
    "account_id, kind, delivery_id, lane, available_at",
    `${account}, 'delivery', i, 'l', UTC_TIMESTAMP(3) - INTERVAL 1 + i % 50 SECOND`,
  );
  await fill(
    "notifications",
    "account_id, kind, params, dedupe_key, group_key",
    `${account}, 'delivery_discarded', '{}', i, 'g'`,
  );
  await fill("notification_reads", "user_id, notification_id", "i % 10, i");
  await fill(
    "api_keys",
    "account_id, name, scopes, key_hash, prefix, last_four",
    `${account}, 'k', '[]', UNHEX(SHA2(i, 256)), 'p', 'l'`,
  );
  await fill("contact_tags", "contact_id, tag, account_id", `i, 'vip', ${account}`);
  await fill(
    "contact_identities",
    "account_id, contact_id, channel_account_id, channel, external_id",
    `${account}, i, 1, 'whatsapp', i`,
  );
  await fill(
    "audit_log",
    "account_id, actor_type, action, target_type",
    `${account}, 'user', 'a', 't'`,
  );
  await fill(
    "sessions",
    "token_hash, user_id, account_id, last_seen_at, expires_at",
    `UNHEX(SHA2(i, 256)), i % 100, ${account}, NOW(), NOW() + INTERVAL 1 DAY`,
  );
  await fill(
    "inbound_requests",
    "account_id, endpoint_id, received_at, verdict, status_code, duration_ms",
    `${account}, 1, NOW() - INTERVAL i SECOND, 'done', 200, 1`,
  );
  await fill(
    "inbound_events",
    "account_id, endpoint_id, event_id, body_hash, lease_until",
    `${account}, 1, i, UNHEX(SHA2(i, 256)), NOW()`,
  );
  await fill(
    "user_links",
    "account_id, kind, token_hash, expires_at, created_by_user_id",
    `${account}, 'invitation', UNHEX(SHA2(i, 256)), NOW() - INTERVAL i SECOND, 1`,
  );
  await fill(
    "worker_heartbeats",
    "id, version, temporal_reachable, seen_at",
    "i, '1', 1, NOW() - INTERVAL i SECOND",
  );
  for (const [table, owner] of [
    ["subscription_secrets", "subscription_id"],
    ["inbound_endpoint_secrets", "endpoint_id"],
  ] as const) {
    await fill(
      table,
      `account_id, ${owner}, sealed, key_id, valid_until`,
      `${account}, i, 's', 'k', IF(i % 3, NOW() - INTERVAL i SECOND, NULL)`,
    );
  }
  await fill("memberships", "account_id, user_id, role", `${account}, i, 'admin'`);
  await fill("users", "email, name, password_hash", "CONCAT(i, '@x.co'), 'u', '-'");
  await fill("accounts", "name, settings", "'a', '{}'");
  await fill(
    "idempotency_keys",
    "account_id, api_key_id, method, path, value, body_hash, lease_until",
    `${account}, i, 'POST', '/api/v1/contacts', i, UNHEX(SHA2(i, 256)), NOW()`,
  );
  await fill(
    "conversations",
    "account_id, contact_id, channel_account_id, channel, status, bot_enabled, assigned_to_user_id, unread_count, sort_at",
    `${account}, i, 1 + i % 16, ELT(1 + i % 3, 'whatsapp', 'instagram', 'web'), ELT(1 + i % 7 % 4, 'active', 'waiting', 'resolved', 'handed_off'), 1, IF(i % 5, NULL, 1 + i % 10), i % 2, NOW() - INTERVAL i * 37 % 3001 SECOND`,
  );
  await fill(
    "messages",
    "account_id, conversation_id, contact_id, channel_account_id, channel, direction, type, content, sender_type, status, external_id, provider_id",
    `${account}, IF(i % 2, ${longConversation}, 1 + i % 60), 1 + i % 60, 1, 'whatsapp', ELT(1 + i % 3, 'inbound', 'outbound', 'outbound'), 'text', 'Hola', 'contact', 'received', IF(i % 3, NULL, i), i`,
  );
  await fill(
    "conversation_notes",
    "account_id, conversation_id, kind",
    `${account}, 1 + i % 60, 'note'`,
  );
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  await dataSource.query(`ANALYZE TABLE ${tables.map(({ name }) => name).join(", ")}`);
});

afterAll(async () => await database.destroy());

const plansOf = async (work: Work) => await explain(dataSource, work);
const indexesOf = async (work: Work, table: string) => await explainTable(dataSource, work, table);

test("contacts are read in the order of their index", async () => {
  const [list] = await plansOf((tx) => listContacts(tx, page));
  expect(list).toMatchObject({ table: "c", key: "contacts_newest" });
  expect(list?.Extra).not.toMatch(/filesort/);
});

test("a search reads its account alone, in the order of the index", async () => {
  const steps = await plansOf((tx) => listContacts(tx, { search: "n42", limit: 50, offset: 0 }));
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("a tag finds the contacts that have it, and nobody else's are read", async () => {
  const steps = await plansOf((tx) => listContacts(tx, { ...page, tag: "vip" }));
  expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("an erasure finds events by their contact and deliveries by their event", async () => {
  const steps = await plansOf(async (tx) => {
    await tx.manager.query("UPDATE events SET contact_id = 5 WHERE account_id = 2 LIMIT 200");
    await eraseContact(tx, 5);
    await eraseContactEvents(tx, { accountId: 2, contactId: 5, after: null }, 100);
  });
  expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});

test.each([undefined, "ffffffff-ffff-7fff-bfff-ffffffffffff"])(
  "a timeline from before %s reads a contact's events in order, and their deliveries by the event",
  async (before) => {
    const steps = await plansOf(async (tx) => {
      await tx.manager.query("UPDATE events SET contact_id = 5 WHERE account_id = 2 LIMIT 400");
      await tx.manager.query("UPDATE contacts SET merged_into_id = 5 WHERE id = 9");
      expect((await listTimeline(tx, 5, { limit: 50, before })).entries).toHaveLength(50);
    });
    expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
    expect(steps.filter(({ Extra }) => /filesort|temporary/.test(Extra ?? ""))).toEqual([]);
    const keysOf = (table: string) =>
      steps.filter((step) => step.table === table).map(({ key }) => key);
    expect(keysOf("events").slice(1)).toEqual(["events_contact", "events_contact"]);
    expect(keysOf("d")).toEqual(["deliveries_event_subscription"]);
  },
);

test("an upsert finds its contact by the unique keys and locks it by its id", async () => {
  const body = { phone: "34600000005", email: "5@x.co" };
  const indexes = await indexesOf((tx) => upsertContact(tx, body), "Contact");
  expect(indexes).toEqual(new Set(["contacts_phone", "contacts_email", "PRIMARY"]));
});

test.each<[string, ConversationFilter, string]>([
  ["all", {}, "conversations_newest"],
  ["of one status", { status: "waiting" }, "conversations_status"],
  ["of one channel", { channel: "web" }, "conversations_channel"],
  ["of one assignee", { assigned_to_user_id: 1 }, "conversations_assignee"],
  ["of nobody", { assigned_to_user_id: null }, "conversations_assignee"],
  ["with unseen messages", { unread: true }, "conversations_newest"],
])("conversations are listed, %s, in the order of an index", async (_, filter, key) => {
  const list = (tx: Tx) => listConversations(tx, { ...filter, ...page });
  expect(await indexesOf(list, "c")).toEqual(new Set([key]));
});

test("conversations of one status and one channel are listed in the order of either index", async () => {
  const filter = { status: "waiting", channel: "web" } as const;
  const [key = null, ...more] = await indexesOf(
    (tx) => listConversations(tx, { ...filter, ...page }),
    "c",
  );
  expect(["conversations_status", "conversations_channel"]).toContain(key);
  expect(more).toEqual([]);
});

test.each<ConversationFilter>([{}, { status: "waiting" }, { channel: "web" }])(
  "one contact's conversations are found by the contact and sorted: they are few (%j)",
  async (filter) => {
    const list = (tx: Tx) => listConversations(tx, { contact_id: 5, ...filter, ...page });
    expect(await indexesOf(list, "c")).toEqual(new Set(["conversations_contact", "sorted"]));
  },
);

test("a page of conversations is read by its ids", async () => {
  const steps = await plansOf((tx) => listConversations(tx, page));
  expect(steps.filter(({ table }) => table === "Conversation")).toMatchObject([{ key: "PRIMARY" }]);
});

test.each([undefined, 1_500])(
  "messages before %s are read in the order of their index",
  async (before_id) => {
    const list = (tx: Tx) => listMessages(tx, longConversation, { limit: 50, before_id });
    expect(await indexesOf(list, "m")).toEqual(new Set(["messages_conversation"]));
  },
);

test("what the agent and a pause look for is found in the order of the conversation's messages", async () => {
  const reply = (tx: Tx) =>
    createAgentMessage(tx, {
      conversationId: longConversation,
      epoch: 0,
      watermark: 0,
      content: "x",
    });
  expect(await indexesOf(reply, "messages")).toEqual(new Set(["messages_conversation"]));
  const pause = (tx: Tx) => setBot(tx, longConversation, { enabled: false });
  expect(await indexesOf(pause, "messages")).toEqual(new Set(["messages_conversation"]));
});

test("the newest conversation of a contact is locked alone, by the contact", async () => {
  const lock = (tx: Tx) => lockNewest(tx, 5, 6);
  expect(await indexesOf(lock, "Conversation")).toEqual(new Set(["conversations_contact"]));
});

test.each<[string, Parameters<typeof listDeliveries>[1], string]>([
  ["all", {}, "deliveries_account"],
  ["of one state", { state: "waiting" }, "deliveries_state"],
  ["of one subscription", { subscription_id: 7 }, "deliveries_subscription"],
])("deliveries are listed, %s, in the order of an index", async (_, filter, key) => {
  expect(await indexesOf((tx) => listDeliveries(tx, filter, page), "d")).toEqual(new Set([key]));
});

test("what a page of deliveries is about is read by keys, for its rows alone", async () => {
  const steps = await plansOf((tx) => listDeliveries(tx, { subscription_id: 7 }, page));
  expect(steps.filter(({ table }) => ["m", "c", "a", "e"].includes(table ?? ""))).toMatchObject(
    ["e", "m", "c", "a"].map((table) => ({ table, type: "eq_ref" })),
  );
});

test("stats read a few attempts of each hour of each subscription in the order of their index", async () => {
  const stats = (tx: Tx) => listSubscriptionStats(tx, [7, 11, 15]);
  expect(await indexesOf(stats, "t")).toEqual(new Set(["delivery_attempts_hour"]));
  const steps = await plansOf(stats);
  const [hour] = steps.filter(({ table }) => table === "t");
  expect(hour?.ref).toMatch(/s\.id,h\.hour/);
  expect(steps.filter(({ table }) => table === "f")).toMatchObject([{ key: "PRIMARY" }]);
});

test("the deliveries of one event are found by it", async () => {
  const filter = { event_id: "00000000-0000-0000-0000-000000000005" };
  // They are sorted, but no more than an account has subscriptions.
  const steps = await plansOf((tx) => listDeliveries(tx, filter, page));
  const own = steps.filter(({ table }) => table === "d");
  expect(new Set(own.map(({ key }) => key))).toEqual(new Set(["deliveries_event_subscription"]));
});

test.each([false, true])(
  "the bell reads its index, of unread ones alone: %s",
  async (unreadOnly) => {
    const list = (tx: Tx) => listNotifications(tx, 1, { ...page, unreadOnly });
    expect(await indexesOf(list, "n")).toEqual(new Set(["notifications_account"]));
  },
);

test.each([false, true])(
  "causes of notifications are counted in the order of their index, of unread ones alone: %s",
  async (unreadOnly) => {
    const steps = await plansOf((tx) => listNotificationGroups(tx, 1, { ...page, unreadOnly }));
    const reads = steps.filter(({ key }) => key === "notifications_group");
    expect(reads.length).toBeGreaterThan(0);
    for (const { type, Extra } of reads) {
      expect(type).toBe("ref");
      expect(Extra ?? "").not.toMatch(/filesort|temporary/);
    }
    // What is aside and sorted are the causes, not their notifications.
    const own = steps.filter(({ table }) => table === "n" || table === "seen");
    expect(own.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  },
);

test("the notifications of one cause are read, and marked, by it", async () => {
  const list = (tx: Tx) => listNotifications(tx, 1, { ...page, unreadOnly: false, groupKey: "g" });
  const keys = await indexesOf(list, "n");
  expect(keys).toEqual(new Set(["notifications_group", "notifications_account"]));
  const mark = (tx: Tx) => markGroupRead(tx, 1, { groupKey: "g", throughId: 9_000 });
  expect(await indexesOf(mark, "n")).toEqual(new Set(["notifications_group"]));
});

test("the system's look reads the account's deliveries by their state, newest first", async () => {
  const steps = await plansOf((tx) => measureSystem(tx));
  const deliveries = steps.filter(({ table }) => table === "deliveries");
  expect(new Set(deliveries.map(({ key }) => key))).toEqual(new Set(["deliveries_state"]));
  for (const { Extra } of deliveries) expect(Extra ?? "").not.toMatch(/filesort|temporary/);
  expect(steps.find(({ table }) => table === "d")).toMatchObject({ key: "PRIMARY" });
});

test("the first steps are looked for among the newest conversations and the account's own rows", async () => {
  const look = (tx: Tx) => getFirstRun(tx);
  expect(await indexesOf(look, "conversations")).toEqual(new Set(["conversations_newest"]));
  expect(await indexesOf(look, "audit_log")).toEqual(new Set(["audit_log_account"]));
  expect(await indexesOf(look, "subscriptions")).toEqual(new Set(["subscriptions_account"]));
});

test("late runs are looked for among open deliveries alone", async () => {
  const steps = await plansOf(async (tx) => {
    const now = new Date(tx.now.getTime() + 3_600_000);
    expect(await listOverdue({ ...tx, now }, 0, 50)).toHaveLength(50);
  });
  expect(steps.find(({ table }) => table === "d")).toMatchObject({ key: "deliveries_state" });
  expect(steps.find(({ table }) => table === "d")?.ref).toMatch(/a\.id,o\.state/);
});

test.each<[RetentionKind, string]>([
  ["delivery_attempts", "delivery_attempts_started"],
  ["deliveries", "deliveries_finished"],
  ["events", "PRIMARY"],
  ["inbound_requests", "inbound_requests_received"],
  ["inbound_events", "inbound_events_created"],
  ["idempotency_keys", "idempotency_keys_created"],
  ["sessions", "sessions_expires"],
  ["user_links", "user_links_expires"],
  ["notifications", "notifications_created"],
  ["worker_heartbeats", "worker_heartbeats_seen"],
  ["subscription_secrets", "subscription_secrets_valid"],
  ["inbound_endpoint_secrets", "inbound_endpoint_secrets_valid"],
  ["audit_log", "audit_log_created"],
])("a purge of %s reads its index of age in order", async (kind, key) => {
  const steps = await plansOf(async (tx) => {
    // Everything is old, so that a plan for few rows is no excuse.
    const now = new Date(tx.now.getTime() + 500 * 86_400_000);
    await purgeBatch({ ...tx, now }, { kind, after: null }, 50);
  });
  expect(steps[0]).toMatchObject({ table: kind, key, type: "range" });
  expect(steps[0]?.Extra).not.toMatch(/filesort|temporary/);
  expect(steps.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
});

test("a purge of deliveries locks what it deletes and passes by all that is not over", async () => {
  await transaction(dataSource, { actor: { type: "system", accountId: 0 } }, async (tx) => {
    await tx.manager.query(
      "UPDATE deliveries SET finished_at = '2020-01-01' WHERE state = 'delivered' LIMIT 20",
    );
  });
  await transaction(dataSource, { actor: { type: "system", accountId: 0 } }, async (tx) => {
    expect(await purgeBatch(tx, { kind: "deliveries", after: null }, 10)).toMatchObject({
      deleted: 10,
    });
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // Each row counts in the index it was found by and itself, and so does its attempt.
    expect(Number(locks?.n)).toBeLessThanOrEqual(6 * 10);
  });
});

test("keys and sessions are found by their hash", async () => {
  const now = new Date();
  const key = await plansOf((tx) => findApiKeyPrincipal(tx.manager, "5", now));
  expect(key.filter(({ type }) => type === "ALL")).toEqual([]);
  const session = await plansOf((tx) => findSession(tx.manager, Buffer.alloc(32), now));
  expect(session.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("a claim reads due rows in the order of their index and locks no more than it takes", async () => {
  const [claim] = await plansOf((tx) => claimDue(tx, 20));
  expect(claim).toMatchObject({ table: "outbox", key: "outbox_lane" });
  expect(claim?.Extra).not.toMatch(/filesort/);
  await transaction(dataSource, { actor: { type: "system", accountId: 0 } }, async (tx) => {
    await claimDue(tx, 20);
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // Each row counts once in the index it was found by and once itself.
    expect(Number(locks?.n)).toBeLessThanOrEqual(3 * 20);
  });
});

test("attempts that begin and end together lock their own rows alone, found by their keys", async () => {
  await dataSource.query("UPDATE subscriptions SET state = 'active' WHERE id <= 40");
  const due = await dataSource.query<{ id: number; account_id: number }[]>(
    "SELECT id, account_id FROM deliveries WHERE state = 'queued' LIMIT 40",
  );
  const inputs = due.map(({ id, account_id: accountId }) => {
    const step = { run: 1, seq: 1, number: 1, manual: false, waitsMs: [1_000] };
    return { accountId, deliveryId: id, ...step };
  });
  expect(inputs).toHaveLength(40);
  const enterHost = () => true;
  const answer = { durationMs: 5, statusCode: 204, errorClass: null, ip: "192.0.2.1" };
  const told = { requestHeaders: {}, responseHeaders: null, responseExcerpt: null };
  const record = { ok: true, waitMs: 1_000, ...answer, ...told };
  const work = async (tx: Tx) => {
    await beginAttempts(
      tx,
      inputs.map((input) => ({ input, enterHost })),
    );
    const outcomes = await completeAttempts(
      tx,
      inputs.map((input) => ({ input, record })),
    );
    expect(outcomes).toEqual(inputs.map(() => ({ state: "delivered" })));
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // A delivery, its attempt, and each of the two once more in an index.
    expect(Number(locks?.n)).toBeLessThanOrEqual(6 * 40);
  };
  const steps = await plansOf(work);
  const own = steps.filter(({ table }) => ["d", "deliveries", "a"].includes(table ?? ""));
  expect(own.length).toBeGreaterThan(4);
  expect(own.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
  expect(own.filter(({ table }) => table === "a").map(({ key }) => key)).toEqual([
    "delivery_attempts_seq",
  ]);
});
