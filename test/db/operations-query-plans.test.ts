import { expect, test } from "vitest";
import type { RetentionKind } from "../../core/model/workflow/retention.ts";
import { claimDue } from "../support/outbox.ts";
import { beginAttempts } from "../../core/services/deliveries/begin-attempts.ts";
import { completeAttempts } from "../../core/services/deliveries/complete-attempts.ts";
import { listDeliveries } from "../../core/services/deliveries/deliveries.ts";
import { getFirstRun } from "../../core/services/read-models/first-run.ts";
import {
  listNotificationGroups,
  markGroupRead,
} from "../../core/services/notifications/notification-groups.ts";
import {
  markPlaceRead,
  notifyOfMessage,
} from "../../core/services/notifications/personal-notifications.ts";
import { countUnread, listNotifications } from "../../core/services/notifications/notifications.ts";
import { measureSystem } from "../../core/services/operations/system.ts";
import { findApiKeyPrincipal } from "../../core/services/accounts/api-keys.ts";
import { listOverdue } from "../../core/services/deliveries/lost-deliveries.ts";
import { listSubscriptionStats } from "../../core/services/subscriptions/subscription-stats.ts";
import { purgeBatch } from "../../core/services/operations/retention.ts";
import { findLogins, findSession, listSessions } from "../../core/services/accounts/users.ts";
import { listConversationChanges } from "../../core/services/outbox/changes.ts";
import {
  countUnseenMessages,
  listAgentTyping,
  listSessionIds,
  listVisitPlaces,
} from "../../core/services/widgets/visit-streams.ts";
import { transaction, type Tx } from "../../db/transaction.ts";
import { usePlans } from "../support/query-plans.ts";
import { fillForPlans } from "./plan-rows.ts";

const page = { limit: 50, before_id: 100_000 };
const groupPage = { limit: 50, offset: 0 };
const { dataSource, plansOf, indexesOf } = usePlans(fillForPlans);

test.each<[string, Parameters<typeof listDeliveries>[1], string]>([
  ["all", {}, "deliveries_account"],
  ["of one state", { state: "waiting" }, "deliveries_state"],
  ["of one subscription", { subscription_id: 7 }, "deliveries_subscription"],
])("deliveries are listed, %s, in the order of an index", async (_, filter, key) => {
  expect(await indexesOf((tx) => listDeliveries(tx, filter, page), "d")).toEqual(new Set([key]));
});

test("a filter that no index serves looks through a part of the log, which is found in an index", async () => {
  const filter = { subscription_id: 7, event_type: "contact.updated", state: "waiting" } as const;
  const steps = await plansOf((tx) => listDeliveries(tx, filter, page));
  const own = steps.filter(({ table }) => table === "d");
  expect(own[0]).toMatchObject({ key: "deliveries_subscription" });
  expect(own[0]?.Extra).toContain("Using index");
  expect(own.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
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

test("a search goes from the contacts to their events and to the deliveries, each by an index", async () => {
  const steps = await plansOf((tx) =>
    listDeliveries(tx, { subscription_id: 7, search: "5" }, page),
  );
  const wide = steps.filter(({ table, type }) => type === "ALL" && !table?.startsWith("<"));
  expect(wide).toEqual([]);
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
    const count = (tx: Tx) => countUnread(tx, 1);
    expect(await indexesOf(count, "n")).toEqual(new Set(["notifications_account"]));
  },
);

test.each([false, true])(
  "causes are those of the newest notifications, read in the order of their index, of unread ones alone: %s",
  async (unreadOnly) => {
    const steps = await plansOf((tx) =>
      listNotificationGroups(tx, 1, { ...groupPage, unreadOnly }),
    );
    const reads = steps.filter(({ key }) => key === "notifications_account");
    expect(reads.length).toBeGreaterThan(0);
    for (const { type, Extra } of reads) {
      expect(type).toBe("ref");
      expect(Extra ?? "").not.toMatch(/filesort|temporary/);
    }
    expect(steps.find(({ table }) => table === "seen")).toMatchObject({ type: "eq_ref" });
  },
);

test("the notifications of one cause are read, and marked, by it", async () => {
  const list = (tx: Tx) => listNotifications(tx, 1, { ...page, unreadOnly: false, groupKey: "g" });
  expect(await indexesOf(list, "n")).toEqual(new Set(["notifications_group"]));
  const mark = (tx: Tx) => markGroupRead(tx, 1, { groupKey: "g", throughId: 9_000 });
  expect(await indexesOf(mark, "n")).toEqual(new Set(["notifications_group"]));
});

test("a customer's message looks for one earlier notification and one earlier mail, by index", async () => {
  const place = { id: 5, contactId: 5, channel: "whatsapp", assignedToUserId: 1 };
  const told = (tx: Tx) => notifyOfMessage(tx, place, 9);
  expect(await indexesOf(told, "n")).toEqual(new Set(["notifications_group"]));
  expect(await indexesOf(told, "mails")).toEqual(new Set(["mails_dedupe"]));
  const read = (tx: Tx) => markPlaceRead(tx, 1, place);
  expect(await indexesOf(read, "n")).toEqual(new Set(["notifications_group"]));
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

test("late runs are looked for among the next unfinished deliveries alone, however many come before and after", async () => {
  const half = 1_500;
  const looks = 100;
  const steps = await plansOf(async (tx) => {
    const reads = async (): Promise<number> => {
      const [status] = await tx.manager.query<{ Value: string }[]>(
        "SHOW SESSION STATUS LIKE 'Handler_read_next'",
      );
      return Number(status?.Value);
    };
    const before = await reads();
    expect(await listOverdue(tx, half, { size: 50, looks })).toEqual({
      late: [],
      stranded: [],
      through: expect.any(Number),
    });
    // Of each of four accounts and four states what one look may take, at most.
    expect((await reads()) - before).toBeLessThanOrEqual(16 * looks);
    const now = new Date(tx.now.getTime() + 3_600_000);
    const { late, through } = await listOverdue({ ...tx, now }, half, { size: 50, looks });
    expect(late).toHaveLength(50);
    expect(through).toBe(late.at(-1)?.id);
  });
  expect(steps[0]?.Extra).toMatch(/Using index for group-by/);
  const listed = steps.filter(({ key, type }) => key === "deliveries_state" && type === "range");
  expect(listed.filter(({ Extra }) => /Using index/.test(Extra ?? "")).length).toBeGreaterThan(4);
  // The held ones and the open ones of each look.
  expect(steps.filter(({ table }) => table === "d")).toMatchObject(
    Array.from({ length: 4 }, () => ({ key: "PRIMARY", type: "range" })),
  );
  // What is put together from the accounts is sorted, and read whole.
  const read = steps.filter(({ table }) => !table?.startsWith("<"));
  expect(read.filter(({ type }) => type === "ALL" || type === "index")).toEqual([]);
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
  ["widget_secrets", "widget_secrets_valid"],
  ["widget_sessions", "widget_sessions_seen"],
  ["audit_log", "audit_log_created"],
  ["agent_steps", "agent_steps_created"],
  ["agent_tool_calls", "agent_tool_calls_created"],
  ["agent_turns", "agent_turns_created"],
  ["knowledge_gaps", "knowledge_gaps_created"],
  ["agent_ratings", "agent_ratings_created"],
  ["agent_drafts", "agent_drafts_created"],
  ["calendly_requests", "calendly_requests_age"],
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
  await transaction(dataSource(), { actor: { type: "system", accountId: 0 } }, async (tx) => {
    await tx.manager.query(
      "UPDATE deliveries SET finished_at = '2020-01-01' WHERE state = 'delivered' LIMIT 20",
    );
  });
  await transaction(dataSource(), { actor: { type: "system", accountId: 0 } }, async (tx) => {
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

test.each([undefined, 2])(
  "logins are found by their email, in the account %s",
  async (accountId) => {
    const steps = await plansOf((tx) => findLogins(tx.manager, "a@example.com", { accountId }));
    expect(steps.filter(({ type }) => type === "ALL")).toEqual([]);
    expect(steps[0]).toMatchObject({ table: "u", key: "users_email", type: "ref" });
  },
);

test("keys and sessions are found by their hash", async () => {
  const now = new Date();
  const key = await plansOf((tx) => findApiKeyPrincipal(tx.manager, "5", now));
  expect(key.filter(({ type }) => type === "ALL")).toEqual([]);
  const session = await plansOf((tx) => findSession(tx.manager, Buffer.alloc(32), now));
  expect(session.filter(({ type }) => type === "ALL")).toEqual([]);
  const hashes = Array.from({ length: 500 }, (_, index) => Buffer.alloc(32, index % 256));
  const sessions = await plansOf((tx) => listSessions(tx.manager, hashes, now));
  expect(sessions.filter(({ type }) => type === "ALL")).toEqual([]);
});

test("missed changes of conversations, and sessions of visitors, are found in their indexes", async () => {
  const conversationIds = [1, 2, 3];
  const range = { conversationIds, after: 5, upTo: 100_000 };
  const changes = await plansOf((tx) => listConversationChanges(tx.manager, range));
  expect(changes.map(({ key, type }) => [key, type])).toEqual([["changes_conversation", "range"]]);
  const places = conversationIds.map((id) => {
    const visitorId = `v_${id}`;
    return { sessionId: id, visitorId, conversationId: id, contactId: null, readMessageId: null };
  });
  const reads = await plansOf(async ({ manager, now }) => {
    await listVisitPlaces(manager, conversationIds, now);
    await listSessionIds(manager, conversationIds);
    await listAgentTyping(manager, conversationIds);
    await countUnseenMessages(manager, places);
  });
  const scans = reads.filter(({ type, table }) => type === "ALL" && table !== "p");
  expect(scans).toEqual([]);
});

test("a claim reads due rows in the order of their index and locks no more than it takes", async () => {
  const [claim] = await plansOf((tx) => claimDue(tx, 20));
  expect(claim).toMatchObject({ table: "outbox", key: "outbox_lane" });
  expect(claim?.Extra).not.toMatch(/filesort/);
  await transaction(dataSource(), { actor: { type: "system", accountId: 0 } }, async (tx) => {
    await claimDue(tx, 20);
    const [locks] = await tx.manager.query<{ n: number }[]>(
      "SELECT trx_rows_locked AS n FROM information_schema.innodb_trx WHERE trx_mysql_thread_id = CONNECTION_ID()",
    );
    // Each row counts once in the index it was found by and once itself.
    expect(Number(locks?.n)).toBeLessThanOrEqual(3 * 20);
  });
});

test("attempts that begin and end together lock their own rows alone, found by their keys", async () => {
  await dataSource().query("UPDATE subscriptions SET state = 'active' WHERE id <= 40");
  const due = await dataSource().query<{ id: number; account_id: number }[]>(
    "SELECT id, account_id FROM deliveries WHERE state = 'queued' LIMIT 40",
  );
  const inputs = due.map(({ id, account_id: accountId }) => {
    const step = { run: 1, seq: 1, number: 1, manual: false, waitsMs: [1_000] };
    return { accountId, deliveryId: id, ...step };
  });
  expect(inputs).toHaveLength(40);
  const answer = { durationMs: 5, statusCode: 204, errorClass: null, ip: "192.0.2.1" };
  const told = { requestHeaders: {}, responseHeaders: null, responseExcerpt: null };
  const record = { ok: true, waitMs: 1_000, ...answer, ...told };
  const work = async (tx: Tx) => {
    await beginAttempts(tx, inputs, () => true);
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
