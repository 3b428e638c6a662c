import { beforeEach, expect, test } from "vitest";
import { mergeContacts } from "../../../../core/services/contact-lifecycle/contact-merge.ts";
import { openConversation } from "../../../../core/services/conversations/conversations.ts";
import { findUnanswered } from "../../../../core/services/conversations/customer-wait.ts";
import { listMessages } from "../../../../core/services/conversations/messages.ts";
import { phoneKey } from "../../../../core/model/contact.ts";
import { chatImport } from "../../../../core/services/imports/chat-import.ts";
import { asSystem } from "../../../support/accounts.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive, tracesOf } from "../../../support/conversations.ts";
import { useFixture } from "../../../support/use-fixture.ts";
import { chatRow, startChatImports } from "./chat-import-fixture.ts";

const fixture = useFixture(startChatImports);

beforeEach(async () => await fixture.renew());

const query = async <Row = Record<string, unknown>>(sql: string, values: unknown[] = []) =>
  await fixture.database.dataSource.query<Row[]>(sql, values);
const write = async (
  content: string,
  facts: { providerAt?: Date; type?: "location" | "contact" } = {},
) =>
  await receive(fixture.database.dataSource, fixture.account.accountId, {
    from: fixture.phone,
    content,
    ...facts,
  });

/** Texts of the conversation, oldest first. */
async function thread(): Promise<(string | null)[]> {
  const [conversation] = await query<{ id: number }>(
    "SELECT id FROM conversations WHERE account_id = ?",
    [fixture.account.accountId],
  );
  if (conversation === undefined) return [];
  const { rows } = await fixture.asImport((tx) =>
    listMessages(tx, conversation.id, { limit: 100 }),
  );
  return rows.toReversed().map(({ content }) => content);
}

const chat = [
  chatRow("2026-03-06T13:45:00", "Hello"),
  chatRow("2026-03-06T13:45:00", "Hello"),
  chatRow("2026-03-06T13:46:00", "Good afternoon", { direction: "out" }),
  chatRow("2026-03-07T09:00:00", "The photo", { kind: "image", file: "IMG-1.jpg" }),
];

test("a chat makes a contact and a resolved conversation, and no event and no run", async () => {
  const { events, commands, notes } = await tracesOf(
    fixture.database.dataSource,
    fixture.account.accountId,
    async () => await fixture.importChat(chat),
  );
  expect({ events, commands, notes }).toEqual({ events: [], commands: [], notes: [] });
  expect(
    await query("SELECT name, phone, source FROM contacts WHERE account_id = ?", [
      fixture.account.accountId,
    ]),
  ).toEqual([{ name: "Ana", phone: fixture.phone, source: "import" }]);
  const [conversation] = await query(
    `SELECT status, unread_count, customer_waits_since, last_customer_message_at, last_message_at
       FROM conversations WHERE account_id = ?`,
    [fixture.account.accountId],
  );
  expect(conversation).toEqual({
    status: "resolved",
    unread_count: 0,
    customer_waits_since: null,
    last_customer_message_at: null,
    last_message_at: new Date("2026-03-07T09:00:00Z"),
  });
  expect(await thread()).toEqual(["Hello", "Hello", "Good afternoon", "The photo"]);
});

test("messages join the conversation at their times, and it stays as it is", async () => {
  const { row } = await write("I am here now");
  const before = await query("SELECT * FROM conversations WHERE id = ?", [row.conversationId]);
  await fixture.importChat(chat);
  expect(await thread()).toEqual([
    "Hello",
    "Hello",
    "Good afternoon",
    "The photo",
    "I am here now",
  ]);
  expect(await query("SELECT * FROM conversations WHERE id = ?", [row.conversationId])).toEqual(
    before,
  );
});

test("a second export adds only the rest, also where it has seconds and other marks", async () => {
  await fixture.importChat(chat);
  const job = fixture.newJob();
  const second = [
    chatRow("2026-03-06T13:45:12", "Hello"),
    chatRow("2026-03-06T13:45:40", "\u200eHello "),
    chatRow("2026-03-06T13:45:59", "Hello"),
    chatRow("2026-03-06T13:46:10", "Good afternoon", { direction: "out" }),
    chatRow("2026-03-07T09:00:59", "The photo", { kind: "image", file: "00000004-PHOTO.jpg" }),
    chatRow("2026-03-08T09:00:00", "New"),
  ];
  const plans = ["unchanged", "unchanged", "create", "unchanged", "unchanged", "create"];
  expect(await fixture.plan(job, second)).toEqual(plans);
  expect(await fixture.commit(job)).toEqual(
    plans.map((one) => (one === "create" ? "created" : "unchanged")),
  );
  expect(await thread()).toHaveLength(6);
});

test("a message that the network has delivered is not imported again", async () => {
  const providerAt = new Date("2026-03-06T13:45:30Z");
  const { row } = await write("Hello", { providerAt });
  await query("UPDATE messages SET created_at = ? WHERE id = ?", [
    new Date("2026-03-06T13:46:02Z"),
    row.id,
  ]);
  expect(await fixture.plan(fixture.newJob(), chat)).toEqual([
    "unchanged",
    "create",
    "create",
    "create",
  ]);
});

test("a chat joins the conversation with its phone, and meets messages of all conversations", async () => {
  const { dataSource } = fixture.database;
  const { accountId } = fixture.account;
  const providerAt = new Date("2026-03-06T13:45:30Z");
  const { row } = await write("Hello", { providerAt });
  const other = { from: freshPhone(), content: "Hello", providerAt };
  const { row: newer } = await receive(dataSource, accountId, other);
  await query("UPDATE messages SET created_at = provider_at WHERE account_id = ?", [accountId]);
  await asSystem(dataSource, accountId, (tx) => mergeContacts(tx, newer.contactId, row.contactId));
  const job = fixture.newJob();
  expect(await fixture.plan(job, chat)).toEqual(["unchanged", "unchanged", "create", "create"]);
  expect(await fixture.commit(job)).toEqual(["unchanged", "unchanged", "created", "created"]);
  expect(
    await query(
      "SELECT DISTINCT conversation_id AS id FROM messages WHERE account_id = ? AND imported = 1",
      [accountId],
    ),
  ).toEqual([{ id: row.conversationId }]);
});

/** Has a message of our own sent, which the network had taken before our call ended. */
async function send(content: string, sentAt: string): Promise<void> {
  const { row } = await write(content);
  await query(
    `UPDATE messages SET direction = 'outbound', sender_type = 'api', status = 'sent',
            created_at = ?, sent_at = ?, provider_at = NULL WHERE id = ?`,
    [new Date(Date.parse(sentAt) - 300), new Date(sentAt), row.id],
  );
}

test("our own message at the end of a minute is not imported again, and stands for one", async () => {
  await send("Good afternoon", "2026-03-06T13:46:00.200Z");
  const own = { direction: "out" as const };
  const job = fixture.newJob();
  expect(
    await fixture.plan(job, [
      chatRow("2026-03-06T13:45:59", "Good afternoon", own),
      chatRow("2026-03-06T13:46:00", "Good afternoon", own),
    ]),
  ).toEqual(["unchanged", "create"]);
  expect(await fixture.commit(job)).toEqual(["unchanged", "created"]);
  const second = fixture.newJob();
  const third = chatRow("2026-03-06T13:46:50", "Good afternoon", own);
  await fixture.plan(second, [chatRow("2026-03-06T13:45:10", "Good afternoon", own)]);
  expect(
    await fixture.plan(second, [chatRow("2026-03-06T13:46:10", "Good afternoon", own), third], 2),
  ).toEqual(["unchanged", "create"]);
});

test("a customer's message stands for no message of the minute before", async () => {
  await write("Hello", { providerAt: new Date("2026-03-06T13:46:00Z") });
  await query("UPDATE messages SET created_at = provider_at WHERE account_id = ?", [
    fixture.account.accountId,
  ]);
  const before = chatRow("2026-03-06T13:45:59", "Hello");
  expect(await fixture.plan(fixture.newJob(), [before])).toEqual(["create"]);
});

test("locations and contact cards that the network has delivered are not imported again", async () => {
  const providerAt = new Date("2026-03-06T13:45:30Z");
  await write("Pimlico Gardens, London", { providerAt, type: "location" });
  await write("Luis Soto, Eva", { providerAt, type: "contact" });
  await query("UPDATE messages SET created_at = provider_at WHERE account_id = ?", [
    fixture.account.accountId,
  ]);
  const card = { kind: "document", file: "Luis Soto.vcf" } as const;
  const messages = [
    chatRow("2026-03-06T13:45:00", "ubicación: https://maps.google.com/?q=51.50214,-0.12739"),
    chatRow("2026-03-06T13:45:00", "", card),
    chatRow("2026-03-06T13:45:00", "ubicación: https://maps.google.com/?q=48.85837,2.29448"),
    chatRow("2026-03-06T13:45:00", "", card),
  ];
  const job = fixture.newJob();
  const plans = ["unchanged", "unchanged", "create", "create"];
  expect(await fixture.plan(job, messages)).toEqual(plans);
  await fixture.commit(job);
  expect(await fixture.plan(fixture.newJob(), messages)).toEqual(messages.map(() => "unchanged"));
});

test("equal messages of a minute are told apart across batches, and a batch twice adds nothing", async () => {
  const job = fixture.newJob();
  await fixture.plan(job, chat.slice(0, 1));
  await fixture.plan(job, chat.slice(1), 2);
  const rows = await fixture.rowsOf(job);
  await fixture.asImport(async (tx) => await chatImport.commitBatch(tx, job, rows.slice(0, 1)));
  await fixture.asImport(async (tx) => await chatImport.commitBatch(tx, job, rows.slice(1)));
  expect(await thread()).toHaveLength(4);
  await fixture.asImport(async (tx) => await chatImport.commitBatch(tx, job, rows));
  expect(await thread()).toHaveLength(4);
});

test("placeholders show that something was there", async () => {
  await fixture.importChat([
    chatRow("2026-03-06T10:00:00", "", { kind: "deleted" }),
    chatRow("2026-03-06T10:01:00", "", { kind: "view_once" }),
    chatRow("2026-03-06T10:02:00", "the receipt", { kind: "omitted" }),
    chatRow("2026-03-06T10:03:00", "", { kind: "audio", file: "PTT-1.opus", direction: "out" }),
  ]);
  const rows = await query(
    `SELECT m.type, m.content, m.deleted_at IS NOT NULL AS deleted, m.status, f.kind, f.state,
            f.reason, f.voice
       FROM messages m LEFT JOIN message_media f ON f.message_id = m.id
      WHERE m.account_id = ? ORDER BY m.id`,
    [fixture.account.accountId],
  );
  const none = { kind: null, state: null, reason: null, voice: null };
  expect(rows).toEqual([
    Object.assign({ type: "text", content: null, deleted: 1, status: "received" }, none),
    Object.assign({ type: "unsupported", content: null, deleted: 0, status: "received" }, none),
    {
      type: "document",
      content: "the receipt",
      deleted: 0,
      status: "received",
      kind: "document",
      state: "failed",
      reason: "not_exported",
      voice: 0,
    },
    {
      type: "audio",
      content: null,
      deleted: 0,
      status: "sent",
      kind: "audio",
      state: "failed",
      reason: "not_stored",
      voice: 1,
    },
  ]);
});

test("a text of marks alone is skipped", async () => {
  expect(await fixture.plan(fixture.newJob(), [chatRow("2026-03-06T10:00:00", " ")])).toEqual([
    "skip",
  ]);
});

test("an undo leaves nothing of a chat, its contact and its conversation", async () => {
  const job = await fixture.importChat(chat);
  expect(await fixture.undo(job)).toEqual(["undone", "undone", "undone", "undone"]);
  for (const table of ["messages", "message_media", "conversations", "contacts"]) {
    expect(
      await query(`SELECT id FROM ${table} WHERE account_id = ?`, [fixture.account.accountId]),
    ).toEqual([]);
  }
});

/** A contact of the account, as an import of a table makes it. */
async function insertImported(phone: string): Promise<number> {
  const { insertId } = await fixture.database.dataSource.query<{ insertId: number }>(
    `INSERT INTO contacts SET account_id = ?, name = 'Eva', phone = ?, phone_key = ?,
                              source = 'import'`,
    [fixture.account.accountId, phone, phoneKey(phone)],
  );
  return insertId;
}

test.each(["winner", "loser"] as const)(
  "an undo keeps the contact after a merge whose %s the chat has created",
  async (role) => {
    const { accountId } = fixture.account;
    const job = await fixture.importChat(chat);
    const [created] = await query<{ id: number }>("SELECT id FROM contacts WHERE account_id = ?", [
      accountId,
    ]);
    const other = await insertImported(freshPhone());
    const own = Number(created?.id);
    const [loserId, winnerId] = role === "loser" ? [own, other] : [other, own];
    await asSystem(fixture.database.dataSource, accountId, (tx) =>
      mergeContacts(tx, loserId, winnerId),
    );
    await fixture.undo(job);
    expect(await query("SELECT id FROM conversations WHERE account_id = ?", [accountId])).toEqual(
      [],
    );
    const left = await query<{ id: number }>("SELECT id FROM contacts WHERE account_id = ?", [
      accountId,
    ]);
    expect(left.map(({ id }) => Number(id))).toContain(winnerId);
  },
);

test("an undo keeps what came after the import, and the first import keeps its messages", async () => {
  await fixture.importChat(chat);
  const second = await fixture.importChat([...chat, chatRow("2026-03-09T10:00:00", "Later")]);
  await write("Live");
  await fixture.undo(second);
  expect(await thread()).toEqual(["Hello", "Hello", "Good afternoon", "The photo", "Live"]);
});

test("an undo gives a conversation its former place in lists", async () => {
  await fixture.importChat(chat);
  const second = await fixture.importChat([chatRow("2026-03-09T10:00:00", "Later")]);
  await fixture.undo(second);
  const [conversation] = await query(
    `SELECT m.content, c.last_message_at, c.sort_at FROM conversations c
       JOIN messages m ON m.id = c.last_message_id WHERE c.account_id = ?`,
    [fixture.account.accountId],
  );
  const at = new Date("2026-03-07T09:00:00Z");
  expect(conversation).toEqual({ content: "The photo", last_message_at: at, sort_at: at });
});

test("imported messages do not move what the customer waits for, nor the unread ones", async () => {
  const { row } = await write("Anyone?");
  await fixture.importChat([chatRow("2026-03-06T10:00:00", "Old answer", { direction: "out" })]);
  const waiting = await fixture.asImport((tx) => findUnanswered(tx, row.conversationId));
  expect(Number(waiting?.id)).toBe(row.id);
});

test("an undo takes back a chat whose last messages came into a newer conversation", async () => {
  const { accountId } = fixture.account;
  const { phone } = fixture;
  const job = fixture.newJob();
  await fixture.plan(job, [chatRow("2026-03-06T13:45:00", "One")]);
  await fixture.commit(job);
  const { insertId } = await fixture.database.dataSource.query<{ insertId: number }>(
    `INSERT INTO channel_accounts SET account_id = ?, channel = 'whatsapp', driver = 'whatsapp',
        name = 'Second', external_id = '15550007777'`,
    [accountId],
  );
  const { row } = await asSystem(fixture.database.dataSource, accountId, (tx) =>
    openConversation(tx, { phone, channel_account_id: insertId }),
  );
  await fixture.plan(job, [chatRow("2026-03-06T13:46:00", "Two")], 2);
  await fixture.commit(job);
  const places = "SELECT COUNT(DISTINCT conversation_id) AS n FROM messages WHERE account_id = ?";
  expect(await query(places, [accountId])).toEqual([{ n: 2 }]);

  expect(await fixture.undo(job)).toEqual(["undone", "undone"]);
  expect(await query(places, [accountId])).toEqual([{ n: 0 }]);
  const left = await query(
    "SELECT id, last_message_id, last_message_at FROM conversations WHERE account_id = ?",
    [accountId],
  );
  expect(left).toEqual([{ id: row.id, last_message_id: null, last_message_at: null }]);
});

test("the conversation takes an imported note that waited for it, and an undo then keeps both", async () => {
  const { accountId } = fixture.account;
  await query(
    "INSERT INTO contacts SET account_id = ?, phone = ?, phone_key = ?, source = 'import'",
    [accountId, fixture.phone, phoneKey(fixture.phone)],
  );
  await query(
    `INSERT INTO contact_placements (account_id, contact_id, note, import_id, import_row)
     SELECT account_id, id, 'Likes window seats', 900000, 1 FROM contacts WHERE account_id = ?`,
    [accountId],
  );
  const job = await fixture.importChat(chat);
  const notes = "SELECT text FROM conversation_notes WHERE account_id = ?";
  expect(await query(notes, [accountId])).toEqual([{ text: "Likes window seats" }]);
  await fixture.undo(job);
  expect(await thread()).toEqual([]);
  expect(await query("SELECT status FROM conversations WHERE account_id = ?", [accountId])).toEqual(
    [{ status: "resolved" }],
  );
});
