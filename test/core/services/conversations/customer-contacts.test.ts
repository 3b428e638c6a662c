import { beforeEach, expect, test } from "vitest";
import { openConversation } from "../../../../core/services/conversations/conversations.ts";
import { upsertContact } from "../../../../core/services/contacts/contact-upserts.ts";
import { asSystem, createTestAccount, type TestAccount } from "../../../support/accounts.ts";
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

test("a contact that is known by its phone gets the identity, and a name only where it had none", async () => {
  const named = freshPhone();
  const bare = freshPhone();
  await inAccount((tx) => upsertContact(tx, { phone: named, name: "Ana" }));
  await inAccount((tx) => upsertContact(tx, { phone: bare }));
  const first = await traces(() => write({ from: named, name: "~ana~" }));
  expect(types(first.events)).toEqual([
    "conversation.created",
    "contact.updated",
    "message.received",
  ]);
  expect(first.events[1]?.data).toMatchObject({
    name: "Ana",
    whatsapp_id: named,
    channel: "whatsapp",
    conversation_id: first.result.row.conversationId,
    source: "conversation",
    changed_fields: ["whatsapp_id"],
    previous_values: { whatsapp_id: null },
  });
  const second = await traces(() => write({ from: bare, name: "Ben" }));
  expect(second.events[1]?.data).toMatchObject({
    name: "Ben",
    changed_fields: ["name", "whatsapp_id"],
    previous_values: { name: null, whatsapp_id: null },
  });
  const third = await traces(() => write({ from: bare, name: "Benjamin" }));
  expect(types(third.events)).toEqual(["message.received"]);
});

test("a national variant of a known phone is the same contact, under the id that WhatsApp uses", async () => {
  const known = await inAccount((tx) => upsertContact(tx, { phone: "525511112222" }));
  const { row } = await write({ from: "5215511112222" });
  expect(row.contactId).toBe(known.record.row.id);
  const [contact] = await query("SELECT phone FROM contacts WHERE id = ?", [row.contactId]);
  expect(contact).toEqual({ phone: "525511112222" });
  expect(await counts()).toEqual(oneCustomer);
});

test("two national variants of a new customer's number, at once, are one customer", async () => {
  const done = await traces(() =>
    Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        write({ from: index % 2 === 0 ? "5215511113333" : "525511113333" }),
      ),
    ),
  );
  expect(types(done.events).filter((type) => type.endsWith(".created"))).toEqual([
    "contact.created",
    "conversation.created",
  ]);
  expect(await counts()).toMatchObject({ contacts: 1, conversations: 1, messages: 10 });
});

test("the identity is matched first: a contact keeps its conversation when another one has its phone", async () => {
  const phone = freshPhone();
  const first = await write({ from: phone });
  await query("UPDATE contacts SET phone = NULL, phone_key = NULL WHERE id = ?", [
    first.row.contactId,
  ]);
  const other = await inAccount((tx) => upsertContact(tx, { phone }));
  const again = await traces(() => write({ from: phone }));
  expect(again.result.row.contactId).toBe(first.row.contactId);
  expect(again.result.row.contactId).not.toBe(other.record.row.id);
  expect(types(again.events)).toEqual(["message.received"]);
});

test("digits are a phone on WhatsApp alone", async () => {
  const phone = freshPhone();
  const { record } = await inAccount((tx) => upsertContact(tx, { phone }));
  const { row } = await write({ channel: "instagram", from: phone });
  expect(row.contactId).not.toBe(record.row.id);
  const [contact] = await query("SELECT phone, name FROM contacts WHERE id = ?", [row.contactId]);
  expect(contact).toEqual({ phone: null, name: null });
});

test("a contact has a conversation on each channel, and each message goes to its own", async () => {
  const from = freshPhone();
  const phone = await write({ from });
  await query(
    `INSERT INTO contact_identities (account_id, contact_id, channel_account_id, channel, external_id)
     SELECT account_id, ?, id, channel, 'visitor' FROM channel_accounts
      WHERE account_id = ? AND channel = 'web'`,
    [phone.row.contactId, account.accountId],
  );
  const visit = await traces(() => write({ channel: "web", from: "visitor" }));
  expect(visit.result.row.contactId).toBe(phone.row.contactId);
  expect(visit.result.row.conversationId).not.toBe(phone.row.conversationId);
  expect(visit.events.map(({ type, data }) => [type, data.channel])).toEqual([
    ["conversation.created", "web_widget"],
    ["message.received", "web_widget"],
  ]);
  expect((await write({ from })).row.conversationId).toBe(phone.row.conversationId);
  expect((await write({ channel: "web", from: "visitor" })).row.conversationId).toBe(
    visit.result.row.conversationId,
  );
});

test("a customer who writes while the API opens their conversation meets it there", async () => {
  const phone = freshPhone();
  const open = async () =>
    await inAccount((tx) => openConversation(tx, { phone, initial_message: "Hola" }));
  const done = await traces(() =>
    Promise.all(
      Array.from({ length: 16 }, (_, index) => (index % 2 === 0 ? open() : write({ from: phone }))),
    ),
  );
  const made = types(done.events).filter((type) => type !== "message.received");
  expect(made.toSorted()).toEqual(
    made.includes("contact.updated")
      ? ["contact.created", "contact.updated", "conversation.created"]
      : ["contact.created", "conversation.created"],
  );
  expect(await counts()).toEqual({ ...oneCustomer, messages: 16 });
});

test("a change of a contact happens in its newest conversation", async () => {
  const from = freshPhone();
  const { row } = await write({ from });
  const changed = await traces(() =>
    inAccount((tx) => upsertContact(tx, { phone: from, name: "Ana" })),
  );
  expect(changed.events).toMatchObject([
    {
      type: "contact.updated",
      data: {
        channel: "whatsapp",
        conversation_id: row.conversationId,
        whatsapp_id: from,
        changed_fields: ["name"],
        previous_values: { name: null },
      },
    },
  ]);
});
