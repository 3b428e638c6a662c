import { beforeEach, expect, test } from "vitest";
import {
  recordNotification,
  type NotificationRecord,
} from "../../../core/services/notifications/notifications.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../support/accounts.ts";
import type { TestAnswer } from "../../support/api.ts";
import { addMember } from "./people-fixture.ts";
import { startApiFixture } from "../api-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(startApiFixture);
let own: TestAccount;

beforeEach(async () => {
  own = await createTestAccount(fixture.database.dataSource);
});

let serial = 0;

async function record(
  groupKey: string,
  more: Partial<NotificationRecord> = {},
  { accountId } = own,
): Promise<void> {
  await asSystem(fixture.database.dataSource, accountId, (tx) =>
    recordNotification(tx, {
      kind: "delivery_discarded",
      params: { subscription_name: "CRM", event_type: "contact.created", attempts: 6 },
      dedupeKey: `d${(serial += 1)}`,
      groupKey,
      deliveryId: null,
      subscriptionId: null,
      ...more,
    }),
  );
}

const list = async (query = "", cookie = own.cookie): Promise<TestAnswer> =>
  await fixture.api.call("GET", `/dashboard/api/notification-groups${query}`, { cookie });
const markRead = async (body: object, cookie = own.cookie): Promise<TestAnswer> =>
  await fixture.api.call("POST", "/dashboard/api/notification-groups/read", { cookie, body });
const shortOf = ({ json }: TestAnswer) =>
  (json.data as { group_key: string; count: number; unread: number }[]).map(
    ({ group_key: key, count, unread }) => [key, count, unread],
  );

test("notifications are folded by their cause, the one with the newest first, however old the others", async () => {
  for (const key of ["discarded:1", "conversation:7", "discarded:1", "disabled:2"])
    await record(key);
  await record("discarded:1");
  const answer = await list();
  expect(answer.json.meta).toStrictEqual({
    total: 3,
    total_at_least: false,
    limit: 50,
    offset: 0,
    unread: 5,
  });
  expect(shortOf(answer)).toEqual([
    ["discarded:1", 3, 3],
    ["disabled:2", 1, 1],
    ["conversation:7", 1, 1],
  ]);
  const [first] = answer.json.data;
  const rows = await fixture.api.call(
    "GET",
    "/dashboard/api/notifications?group_key=discarded:1&limit=2",
    { cookie: own.cookie },
  );
  expect(rows.json.meta).toMatchObject({ total: 3, total_at_least: false, limit: 2, unread: 5 });
  expect(rows.json.meta.next).toBe(rows.json.data[1].id);
  expect(rows.json.data[0]).toEqual(first.newest);
  expect(rows.json.data).toHaveLength(2);
});

test("a page of causes holds whole causes, and the last page ends", async () => {
  for (let group = 0; group < 5; group += 1)
    for (let row = 0; row < 3; row += 1) await record(`discarded:${group}`);
  const second = await list("?limit=2&offset=2");
  expect(second.json.meta).toMatchObject({ total: 5, total_at_least: false, limit: 2, offset: 2 });
  expect(shortOf(second)).toEqual([
    ["discarded:2", 3, 3],
    ["discarded:1", 3, 3],
  ]);
  expect(shortOf(await list("?limit=2&offset=4"))).toEqual([["discarded:0", 3, 3]]);
  expect((await list("?offset=9")).json).toMatchObject({ data: [], meta: { total: 5 } });
});

test("a cause is read up to what was seen: what came meanwhile stays unread", async () => {
  await record("discarded:1");
  await record("discarded:1");
  await record("disabled:2");
  const [, seen] = (await list()).json.data;
  await record("discarded:1");
  const marked = await markRead({ group_key: "discarded:1", through_id: seen.newest.id });
  expect(marked.json).toStrictEqual({ success: true, data: { unread: 2 } });
  expect(shortOf(await list())).toEqual([
    ["discarded:1", 3, 1],
    ["disabled:2", 1, 1],
  ]);
  const again = await markRead({ group_key: "discarded:1", through_id: seen.newest.id });
  expect(again.json.data).toEqual({ unread: 2 });
});

test("unread ones alone are causes with something unread, counted as such", async () => {
  await record("discarded:1");
  await record("disabled:2");
  const [newest] = (await list()).json.data;
  await markRead({ group_key: "disabled:2", through_id: newest.newest.id });
  const unread = await list("?unread=true");
  expect(shortOf(unread)).toEqual([["discarded:1", 1, 1]]);
  expect(unread.json.meta).toMatchObject({ total: 1, unread: 1 });
});

test("a cause tells how what it is about stands now", async () => {
  const { dataSource } = fixture.database;
  const url = "https://hooks.example/";
  const { id } = await createTestSubscription(dataSource, own.accountId, { url });
  const message = { channel: "web", from: "v1", text: "Hi" };
  const written = await fixture.api.call("POST", "/dashboard/api/sandbox/messages", {
    cookie: own.cookie,
    body: message,
  });
  const conversationId = Number(written.json.data.conversation_id);
  const [delivery] = await fixture.query<{ id: number }>(
    "SELECT id FROM deliveries WHERE subscription_id = ? LIMIT 1",
    [id],
  );
  await record("disabled:1", { kind: "subscription_disabled", subscriptionId: id });
  await record("discarded:1", { subscriptionId: id, deliveryId: Number(delivery?.id) });
  await record("conversation:1", { kind: "conversation_handed_off", conversationId });
  await record("conversation:0", { kind: "handoff_reminder", conversationId: 999_999_999 });
  const none = { delivery_state: null, subscription_state: null, conversation_status: null };
  expect((await list()).json.data).toMatchObject([
    { ...none, group_key: "conversation:0" },
    { ...none, group_key: "conversation:1", conversation_status: "active" },
    { group_key: "discarded:1", delivery_state: "queued", subscription_state: "active" },
    { ...none, group_key: "disabled:1", subscription_state: "active" },
  ]);
});

test("each reads what is for them, and another account's cause is unknown", async () => {
  const other = await createTestAccount(fixture.database.dataSource);
  const agent = await addMember(fixture, own);
  await record("conversation:1", { kind: "handoff_escalation", adminsOnly: true });
  await record("conversation:2", { kind: "handoff_reminder", userId: agent.userId });
  await record("discarded:1", {}, other);
  expect(shortOf(await list())).toEqual([["conversation:1", 1, 1]]);
  expect(shortOf(await list("", agent.cookie))).toEqual([["conversation:2", 1, 1]]);
  for (const key of ["discarded:1", "conversation:2", "nothing"]) {
    const refused = await markRead({ group_key: key, through_id: 999_999_999 });
    expect([refused.status, refused.json.error.code]).toEqual([404, "notification_not_found"]);
  }
  expect(shortOf(await list("", other.cookie))).toEqual([["discarded:1", 1, 1]]);
});

test.each<object>([
  {},
  { group_key: "" },
  { group_key: "x" },
  { group_key: "x", through_id: 0 },
  { group_key: "x".repeat(129), through_id: 1 },
  { group_key: "x", through_id: 1, more: 1 },
])("marking %j is 400", async (body) => {
  expect((await markRead(body)).status).toBe(400);
});
