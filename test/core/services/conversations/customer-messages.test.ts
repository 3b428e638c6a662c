import { beforeEach, expect, test } from "vitest";
import { EntityNotFoundError } from "typeorm";
import { receiveCustomerMessage } from "../../../../core/services/conversations/customer-messages.ts";
import {
  setBot,
  setConversationStatus,
} from "../../../../core/services/conversations/conversations.ts";
import {
  asSystem,
  createTestAccount,
  createTestSubscription,
  type TestAccount,
} from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import {
  countsOf,
  oneCustomer,
  receive,
  tracesOf,
  type Incoming,
} from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let account: TestAccount;

beforeEach(async () => {
  account = await createTestAccount(database.dataSource);
});

const write = async (message: Incoming) =>
  await receive(database.dataSource, account.accountId, message);
const traces = async <T>(work: () => Promise<T>) =>
  await tracesOf(database.dataSource, account.accountId, work);
const inAccount: <T>(work: Parameters<typeof asSystem<T>>[2]) => Promise<T> = async (work) =>
  await asSystem(database.dataSource, account.accountId, work);
const query = async <Row = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  await database.dataSource.query<Row[]>(sql, values);

const counts = async () => await countsOf(database.dataSource, account.accountId);
const types = (events: { type: string }[]) => events.map(({ type }) => type);

test("a first message makes contact, conversation and message known, in that order", async () => {
  const phone = freshPhone();
  const done = await traces(() =>
    write({ from: phone, name: "Ana", providerId: `wamid.${phone}` }),
  );
  const { row, created } = done.result;
  const at = row.createdAt.toISOString();
  const ids = { conversation_id: row.conversationId, contact_id: row.contactId };
  expect(created).toBe(true);
  expect(done.events).toStrictEqual([
    {
      type: "contact.created",
      data: {
        contact_id: row.contactId,
        name: "Ana",
        phone,
        email: null,
        channel: "whatsapp",
        instagram_id: null,
        facebook_id: null,
        tags: [],
        created_at: at,
        updated_at: at,
        source: "conversation",
        conversation_id: row.conversationId,
        whatsapp_id: phone,
      },
      at,
    },
    {
      type: "conversation.created",
      data: {
        ...ids,
        channel: "whatsapp",
        status: "active",
        bot_enabled: true,
        assigned_to_user_id: null,
        source: "conversation",
        created_at: at,
      },
      at,
    },
    {
      type: "message.received",
      data: {
        message_id: row.id,
        ...ids,
        direction: "inbound",
        channel: "whatsapp",
        type: "text",
        content_preview: "Hola",
        has_media: false,
        sent_by_bot: false,
        created_at: at,
        sender_type: "contact",
        sender_user_id: null,
        api_key_id: null,
        external_id: null,
      },
      at,
    },
  ]);
  expect(Object.keys(done.events[2]?.data)).toEqual(
    "message_id conversation_id contact_id direction channel type content_preview has_media sent_by_bot created_at sender_type sender_user_id api_key_id external_id".split(
      " ",
    ),
  );
  expect(done.commands).toEqual([]);
  expect(await counts()).toEqual(oneCustomer);
});

test("a second message is known as received, and nothing else", async () => {
  const from = freshPhone();
  await write({ from });
  const media = { url: "https://files.example/v", mime_type: "audio/ogg" };
  const done = await traces(() => write({ from, type: "audio", content: null, media }));
  expect(types(done.events)).toEqual(["message.received"]);
  expect(done.events[0]?.data).toMatchObject({
    type: "audio",
    content_preview: "[audio]",
    has_media: true,
  });
  const [row] = await query(
    "SELECT unread_count, last_message_id, last_message_at, last_customer_message_at, sort_at FROM conversations WHERE account_id = ?",
    [account.accountId],
  );
  const at = done.result.row.createdAt;
  expect(row).toEqual({
    unread_count: 2,
    last_message_id: done.result.row.id,
    last_message_at: at,
    last_customer_message_at: at,
    sort_at: at,
  });
});

test.each([
  ["active", true, ["message.received"]],
  ["waiting", true, ["conversation.updated", "message.received"]],
  ["waiting", false, ["conversation.updated", "message.received"]],
  ["resolved", true, ["conversation.updated", "message.received"]],
  ["resolved", false, ["conversation.updated", "conversation.bot.enabled", "message.received"]],
])("a message to a conversation that is %s, its agent on: %s, makes known %j", async (...facts) => {
  const [status, enabled, expected] = facts;
  const from = freshPhone();
  const { row } = await write({ from });
  if (!enabled) await inAccount((tx) => setBot(tx, row.conversationId, { enabled: false }));
  if (status !== "active") {
    await inAccount((tx) =>
      setConversationStatus(tx, row.conversationId, status as "waiting" | "resolved"),
    );
  }
  const done = await traces(() => write({ from }));
  expect(types(done.events)).toEqual(expected);
  const enabling = done.events.filter(({ type }) => type === "conversation.bot.enabled");
  expect(enabling.map(({ data }) => [data.source, data.previous_status])).toEqual(
    enabling.map(() => ["system", "resolved"]),
  );
  const [now] = await query("SELECT status, bot_enabled FROM conversations WHERE id = ?", [
    row.conversationId,
  ]);
  const on = enabled || status === "resolved";
  expect(now).toEqual({ status: "active", bot_enabled: Number(on) });
});

test("a conversation that is with people stays with them", async () => {
  const from = freshPhone();
  const { row } = await write({ from });
  await inAccount((tx) => setBot(tx, row.conversationId, { enabled: false }));
  const done = await traces(() => write({ from }));
  expect(types(done.events)).toEqual(["message.received"]);
  expect(done.commands).toEqual([]);
});

test("where the channel has no agent by default, none is turned on", async () => {
  await query("UPDATE channel_accounts SET bot_default = 0 WHERE account_id = ?", [
    account.accountId,
  ]);
  const from = freshPhone();
  const first = await traces(() => write({ from }));
  expect(first.events[1]?.data.bot_enabled).toBe(false);
  const { conversationId } = first.result.row;
  await inAccount((tx) => setConversationStatus(tx, conversationId, "resolved"));
  const done = await traces(() => write({ from }));
  expect(types(done.events)).toEqual(["conversation.updated", "message.received"]);
  expect(done.events[0]?.data.bot_enabled).toBe(false);
});

test("a message that the channel hands over again counts once", async () => {
  const from = freshPhone();
  const first = await write({ from, providerId: "same" });
  const again = await traces(() => write({ from, providerId: "same", content: "other" }));
  expect([again.result.created, again.result.row.id]).toEqual([false, first.row.id]);
  expect(again.events).toEqual([]);
  expect(await counts()).toEqual(oneCustomer);
});

test("handed over 20 times at once it still counts once, from a new customer too", async () => {
  const from = freshPhone();
  const done = await traces(() =>
    Promise.all(Array.from({ length: 20 }, () => write({ from, providerId: "twenty" }))),
  );
  expect(done.result.filter(({ created }) => created)).toHaveLength(1);
  expect(types(done.events)).toEqual([
    "contact.created",
    "conversation.created",
    "message.received",
  ]);
  expect(await counts()).toEqual(oneCustomer);
});

test.each(["whatsapp", "web", "instagram"] as const)(
  "10 messages at once from a new customer on %s make one contact and one conversation",
  async (channel) => {
    const from = freshPhone();
    const done = await traces(() =>
      Promise.all(
        Array.from({ length: 10 }, (_, index) => write({ channel, from, providerId: `p${index}` })),
      ),
    );
    expect(types(done.events)).toEqual([
      "contact.created",
      "conversation.created",
      ...Array.from({ length: 10 }, () => "message.received"),
    ]);
    expect(await counts()).toEqual({ ...oneCustomer, messages: 10 });
    const [row] = await query("SELECT unread_count FROM conversations WHERE account_id = ?", [
      account.accountId,
    ]);
    expect(row).toEqual({ unread_count: 10 });
  },
);

test("a subscription to web chat alone gets what happens there, and what has no channel", async () => {
  const { id } = await createTestSubscription(database.dataSource, account.accountId, {
    url: "https://r.example/x",
  });
  await query(`UPDATE subscriptions SET channels = '["web_widget"]' WHERE id = ?`, [id]);
  const phone = await write({ from: freshPhone() });
  await write({ channel: "web", from: "visitor" });
  await inAccount((tx) => setConversationStatus(tx, phone.row.conversationId, "waiting"));
  const rows = await query(
    `SELECT e.type, e.conversation_id = ? AS of_phone FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.subscription_id = ? ORDER BY e.id`,
    [phone.row.conversationId, id],
  );
  expect(rows).toEqual([
    { type: "contact.created", of_phone: 0 },
    { type: "conversation.created", of_phone: 0 },
    { type: "message.received", of_phone: 0 },
    { type: "conversation.updated", of_phone: 1 },
  ]);
});

test("a channel account of another account takes nothing in", async () => {
  const other = await createTestAccount(database.dataSource);
  const [theirs] = await query<{ id: number }>(
    "SELECT id FROM channel_accounts WHERE account_id = ? AND channel = 'web'",
    [other.accountId],
  );
  const message = {
    channelAccountId: Number(theirs?.id),
    from: "visitor",
    name: null,
    type: "text",
    content: "Hola",
    media: null,
    providerId: null,
  } as const;
  const foreign = inAccount((tx) => receiveCustomerMessage(tx, message));
  await expect(foreign).rejects.toThrow(EntityNotFoundError);
  expect((await counts())["contacts"]).toBe(0);
});
