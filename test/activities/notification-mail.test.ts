import { beforeEach, expect, test } from "vitest";
import { createSendMail } from "../../activities/send-mail.ts";
import { createLog } from "../../core/log.ts";
import { renderMail } from "../../core/model/mail.ts";
import type { NotificationKind } from "../../core/model/notification.ts";
import type { Principal } from "../../core/model/principal.ts";
import { bookAppointment } from "../../core/services/appointments/appointments.ts";
import { cancelAppointment } from "../../core/services/appointments/appointment-status.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { assignConversation } from "../../core/services/conversations/conversation-assignee.ts";
import { addNote } from "../../core/services/conversation-records/conversation-notes.ts";
import { markConversationRead } from "../../core/services/conversations/conversations.ts";
import { testSecretBox } from "../support/accounts.ts";
import { at, createTestResource } from "../support/appointments.ts";
import { freshPhone } from "../support/contact-load.ts";
import { receive } from "../support/conversations.ts";
import { startSmtp } from "../support/smtp.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createAttemptFixture } from "./attempt-fixture.ts";
import { createConversationFixture, type ConversationFixture } from "./conversation-fixture.ts";

const fixture = useFixture(createAttemptFixture);
const smtp = useFixture(startSmtp);
let place: ConversationFixture;
let luis: number;
let from: string;
let conversationId: number;
let contactId: number;

beforeEach(async () => {
  place = await createConversationFixture(fixture);
  luis = await place.addMember("agent");
  from = freshPhone();
  ({ conversationId, contactId } = (await write("Hello")).row);
});

const write = async (content: string) =>
  await receive(fixture.database.dataSource, place.accountId, {
    from,
    name: "Ana Torres",
    content,
  });
const wish = async (kind: NotificationKind, userId = luis) =>
  await place.sql(
    "INSERT INTO notification_preferences (user_id, kind, app, desktop, email) VALUES (?, ?, 1, 0, 1)",
    [userId, kind],
  );
const asAdmin = (): Principal => ({
  type: "user",
  accountId: place.accountId,
  userId: place.adminId,
  role: "admin",
});
const assign = async (userId: number | null) =>
  await place.run((tx) => assignConversation(tx, conversationId, userId), asAdmin());
const mails = async () =>
  await place.sql<{ id: number; kind: string; user_id: number; state: string }>(
    "SELECT id, kind, user_id, state FROM mails WHERE account_id = ? ORDER BY id",
    [place.accountId],
  );
const kinds = async () => (await mails()).map(({ kind, user_id: user }) => `${kind} ${user}`);

/** Hands the newest mail to the mail server. @returns the mail as it arrived, or null. */
async function post(): Promise<string | null> {
  const { dataSource } = fixture.database;
  const log = createLog("worker", "silent");
  const mailer = smtp.mailer("https://parley.example");
  const activity = createSendMail({ dataSource, secretBox: testSecretBox, mailer, log });
  const newest = (await mails()).at(-1);
  const before = smtp.mails.length;
  await activity.postMail({ accountId: place.accountId, mailId: Number(newest?.id) });
  return smtp.mails[before]?.text ?? null;
}

test("messages of one conversation are mailed once in 10 minutes, to the assignee who wants that", async () => {
  await wish("message_received");
  await wish("message_received", place.adminId);
  await write("unassigned");
  expect(await kinds()).toEqual([]);
  await assign(luis);
  await write("one");
  await write("two");
  expect(await kinds()).toEqual([`new_message ${luis}`]);
  await place.sql(
    "UPDATE mails SET created_at = NOW(3) - INTERVAL 599 SECOND WHERE account_id = ?",
    [place.accountId],
  );
  await write("three");
  expect(await kinds()).toHaveLength(1);
  await place.sql(
    "UPDATE mails SET created_at = NOW(3) - INTERVAL 601 SECOND WHERE account_id = ?",
    [place.accountId],
  );
  await write("four");
  expect(await kinds()).toHaveLength(2);
  await assign(place.adminId);
  await write("five");
  expect(await kinds()).toEqual([
    `new_message ${luis}`,
    `new_message ${luis}`,
    `new_message ${place.adminId}`,
  ]);
});

test("another conversation has mails of its own, and messages at once make one", async () => {
  await wish("message_received");
  await assign(luis);
  await Promise.all(Array.from({ length: 5 }, async () => await write("at once")));
  expect(await kinds()).toHaveLength(1);
  from = freshPhone();
  ({ conversationId } = (await write("Hello")).row);
  await assign(luis);
  await write("again");
  expect(await kinds()).toHaveLength(2);
});

test("a mail names the customer and holds no message; its run knows ids alone", async () => {
  await wish("message_received");
  await assign(luis);
  const { commands } = await place.traces(async () => await write("My account number is 778899"));
  const [{ id } = { id: 0 }] = await mails();
  expect(commands).toEqual([
    expect.objectContaining({
      workflow: "sendMail",
      input: { accountId: place.accountId, mailId: id },
    }),
  ]);
  expect(JSON.stringify(commands)).not.toMatch(/Ana|778899/);
  const mail = await post();
  expect(mail).toContain("Subject: Ana Torres wrote to you");
  expect(mail).toContain(`https://parley.example/inbox/${conversationId}\r\n`);
  expect(mail).not.toContain("778899");
});

test("a message that was read meanwhile, and a conversation that moved on, are not mailed", async () => {
  await wish("message_received");
  await assign(luis);
  await write("one");
  await place.run((tx) => markConversationRead(tx, conversationId));
  expect([await post(), (await mails())[0]?.state]).toEqual([null, "cancelled"]);
  // The first mail reached nobody, so the next message has one of its own.
  await write("two");
  await assign(place.adminId);
  expect([await post(), (await mails())[1]?.state]).toEqual([null, "cancelled"]);
});

test("an assignment and a mention are mailed to whoever wants them, once each", async () => {
  await assign(luis);
  const name = async () =>
    await place.run(
      (tx) => addNote(tx, conversationId, { text: `@[${luis}] @[${place.adminId}] look: 778899` }),
      asAdmin(),
    );
  await name();
  expect(await kinds()).toEqual([]);
  await wish("conversation_assigned");
  await wish("mentioned");
  await wish("mentioned", place.adminId);
  await assign(null);
  await assign(luis);
  expect(await kinds()).toEqual([`assigned ${luis}`]);
  expect(await post()).toMatch(/Subject: A conversation of .* is yours: Ana Torres/);
  await name();
  expect(await kinds()).toEqual([`assigned ${luis}`, `mentioned ${luis}`]);
  const mail = await post();
  expect(mail).toMatch(/Ana\s+Torres/);
  expect(mail).not.toContain("778899");
});

test("whoever lost the conversation, or the account, gets no mail of an assignment", async () => {
  await wish("conversation_assigned");
  await assign(luis);
  await assign(null);
  expect(await post()).toBeNull();
  await assign(luis);
  await place.sql("UPDATE memberships SET disabled_at = NOW(3) WHERE user_id = ?", [luis]);
  expect(await post()).toBeNull();
});

test("a booking is mailed to each member who wants that, unless it was cancelled meanwhile", async () => {
  await wish("appointment_booked");
  await wish("appointment_booked", place.adminId);
  await place.addMember("agent");
  const { dataSource } = fixture.database;
  const resourceId = await createTestResource(dataSource, place.accountId);
  const { id } = await place.run((tx) =>
    bookAppointment(tx, {
      resourceId,
      startTime: at("16:00"),
      durationMinutes: 30,
      customer: { contact: { phone: freshPhone(), name: "Eva Ruiz" } },
      source: "enlace",
    }),
  );
  expect((await kinds()).toSorted()).toEqual(
    [`booked ${luis}`, `booked ${place.adminId}`].toSorted(),
  );
  const mail = await post();
  expect(mail).toContain("Subject: Eva Ruiz booked an appointment");
  expect(mail).toContain(`https://parley.example/appointments?appointment=${id}\r\n`);
  await place.sql("UPDATE mails SET state = 'queued' WHERE account_id = ?", [place.accountId]);
  await place.run((tx) => cancelAppointment(tx, { appointmentId: id, source: "enlace" }));
  expect(await post()).toBeNull();
});

test("an erased customer is mailed of no more", async () => {
  await wish("message_received");
  await wish("mentioned");
  await assign(luis);
  await write("one");
  await place.run((tx) => addNote(tx, conversationId, { text: `@[${luis}]` }), asAdmin());
  await place.run((tx) => eraseContact(tx, contactId));
  expect(await post()).toBeNull();
});

test("an unconfirmed address gets no mail", async () => {
  await wish("message_received");
  await place.sql("UPDATE users SET unconfirmed_account_id = 7 WHERE id = ?", [luis]);
  await assign(luis);
  await write("one");
  expect(await kinds()).toEqual([]);
});

test("a long name arrives whole, and starts no header of its own", async () => {
  const name = `${"ñ".repeat(180)}\r\nBcc: x@example.com`;
  await wish("message_received");
  await assign(luis);
  await place.sql("UPDATE contacts SET name = ? WHERE id = ?", [name, contactId]);
  await write("one");
  const mail = await post();
  expect(mail).not.toMatch(/^Bcc:/mu);
  expect(mail).toMatch(/^Subject: =\?UTF-8\?/mu);
});

test.each(["en", "es"] as const)("every mail in %s names the account or the customer", (locale) => {
  for (const kind of ["new_message", "assigned", "mentioned", "booked"] as const) {
    const facts = { kind, locale, accountName: "Norte", url: "https://x.example/1" };
    const named = renderMail({ ...facts, customerName: "Ana" });
    expect(named.subject).toContain("Ana");
    expect(named.subject).toContain("Norte");
    expect(named.text).toContain("https://x.example/1\n");
    const bare = renderMail({ ...facts, customerName: null });
    expect(bare.subject).toContain(locale === "en" ? "A customer" : "Un cliente");
  }
});
