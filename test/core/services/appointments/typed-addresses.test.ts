import { beforeEach, expect, test } from "vitest";
import { agentSettings } from "../../../../core/model/agent.ts";
import { loadContext } from "../../../../core/services/agent/context.ts";
import { insertVersion } from "../../../../core/services/agent/profile-rows.ts";
import { bookAppointment } from "../../../../core/services/appointments/appointments.ts";
import { bookExternal } from "../../../../core/services/appointments/external-appointments.ts";
import { sendReminder } from "../../../../core/services/appointments/reminders.ts";
import { runVoiceAction } from "../../../../core/services/inbound/voice-actions.ts";
import { applySaid } from "../../../../core/services/widgets/visit-contact.ts";
import type { Appointment } from "../../../../db/entities/appointment.ts";
import type { Tx } from "../../../../db/transaction.ts";
import { createAgentTalk, type AgentTalk } from "../../../support/agent.ts";
import { at, createTestAgenda, type TestAgenda } from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { receive } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
  await agenda.run((tx) => insertVersion(tx, 1, agentSettings.parse({})));
  await database.dataSource.query("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify({ reminder_hours_before: 24 }),
    agenda.account.accountId,
  ]);
});

const email = "eva@example.com";
const due = new Date(at("16:00").getTime() - 24 * 3_600_000);

const talkOn = async (channel: "web" | "whatsapp", phone: string): Promise<AgentTalk> =>
  await createAgentTalk(database.dataSource, agenda.account.accountId, { channel, phone });

/** A visitor of web chat who has typed an email and a phone that nobody has. */
async function stranger(phone: string, verifiedSub: string | null = null): Promise<AgentTalk> {
  const talk = await talkOn("web", `${verifiedSub === null ? "v_" : "u_"}${freshPhone()}`);
  const { contactId, conversationId } = talk;
  const session = { contactId, conversationId, verifiedSub, madeContact: true };
  await agenda.run((tx) => applySaid(tx, session, { email, phone }, "typed"));
  return talk;
}

/** Appointments that the agent lists, those of its context, and its answer to a cancellation. */
async function reachOf({ turn, result }: AgentTalk, { id }: Appointment) {
  const listed = await result("list_appointments");
  const { context } = await agenda.run((tx) => loadContext(tx, turn));
  const cancelled = await result("cancel_appointment", { appointment_id: id });
  return {
    listed: "appointments" in listed ? listed.appointments.map((one) => one.appointment_id) : null,
    known: context.appointments.map((one) => one.id),
    cancelled: cancelled.ok ? "ok" : cancelled.code,
  };
}

const nothing = { listed: [], known: [], cancelled: "not_found" };
/** The tool finds the appointment, and asks the customer first. */
const all = ({ id }: Appointment) => {
  return { listed: [id], known: [id], cancelled: "not_confirmed_by_customer" };
};

/** The conversation that a due reminder goes to; its state where it goes nowhere. */
async function remind({ id: appointmentId, accountId }: Appointment) {
  const input = { accountId, appointmentId, run: 1 };
  const { state } = await agenda.run((tx) => sendReminder({ ...tx, now: due }, input));
  const [row] = await database.dataSource.query<{ place: number }[]>(
    `SELECT m.conversation_id AS place FROM appointment_reminders r
       JOIN messages m ON m.id = r.message_id WHERE r.appointment_id = ?`,
    [appointmentId],
  );
  return row?.place ?? state;
}

interface Person {
  email?: string;
  phone?: string;
}

/** Ways to book without a conversation. Each finds the contact by email or phone. */
const ways: [string, (tx: Tx, who: Person) => Promise<number | null | undefined>][] = [
  [
    "a link",
    async (tx, contact) =>
      (await bookAppointment(tx, agenda.booking({ customer: { contact } }))).id,
  ],
  [
    "Google Calendar",
    async (tx, { phone = null, email: address = null }) => {
      const time = { startTime: at("16:00"), endTime: at("16:30") };
      const customer = { name: "Eva", phone, email: address };
      const event = { source: "google" as const, googleEventId: "event-1", syncCalendars: false };
      const place = { resourceId: agenda.resourceId, serviceId: null, title: null };
      return (await bookExternal(tx, { ...place, ...time, customer, ...event }))?.id;
    },
  ],
  [
    "a voice call",
    async (tx, who) => {
      const what = { resource_id: agenda.resourceId, duration_minutes: 30 };
      const data = { ...what, start_time: at("16:00"), ...who };
      return (await runVoiceAction(tx, { event: "appointment.book", data })).appointmentId;
    },
  ],
];

test.each(ways)(
  "a booking by %s stays out of a chat whose visitor typed the email",
  async (_, book) => {
    const talk = await stranger(freshPhone());
    const row = await agenda.read((await agenda.run((tx) => book(tx, { email }))) ?? 0);
    expect(row).toMatchObject({ contactId: talk.contactId, conversationId: null });
    expect(await reachOf(talk, row)).toEqual(nothing);
    expect(await remind(row)).toBe("skipped");
  },
);

test("a phone that a signed-in visitor typed leads to no booking of its owner either", async () => {
  const phone = freshPhone();
  const talk = await stranger(phone, "bob");
  const row = await agenda.book({ customer: { contact: { phone } } });
  expect(row.contactId).toBe(talk.contactId);
  expect(await reachOf(talk, row)).toEqual(nothing);
});

test("a booking by a contact's id stays out of the chat, unless the chat is named", async () => {
  const talk = await stranger(freshPhone());
  const { contactId, conversationId } = talk;
  const elsewhere = await agenda.book({ customer: { contactId }, source: "panel" });
  expect(await reachOf(talk, elsewhere)).toEqual(nothing);
  const time = { startTime: at("17:00") };
  const here = await agenda.book({ customer: { contactId }, conversationId, ...time });
  expect(await remind(here)).toBe("waiting");
  expect(await reachOf(talk, here)).toEqual(all(here));
});

test("the agent reaches the booking that it made in a web chat, which is reminded of there", async () => {
  const talk = await stranger(freshPhone());
  const made = await talk.result("book_appointment", { day: "2030-03-05", time: "16:00" });
  const id = made.ok && "appointment_id" in made ? made.appointment_id : 0;
  const row = await agenda.read(id);
  expect(await remind(row)).toBe(talk.conversationId);
});

test("the owner of a typed phone is reminded in WhatsApp, and reaches the booking there alone", async () => {
  const phone = freshPhone();
  const web = await stranger(phone);
  const owner = await talkOn("whatsapp", phone);
  expect(owner.contactId).toBe(web.contactId);
  const row = await agenda.book({ customer: { contact: { phone } } });
  await web.write("Hola");
  expect(row.conversationId).toBe(owner.conversationId);
  expect(await remind(row)).toBe(owner.conversationId);
  expect(await reachOf(web, row)).toEqual(nothing);
  await owner.write("Hola");
  expect(await reachOf(owner, row)).toEqual(all(row));
});

test("a booking by phone or email is in the WhatsApp conversation of the customer", async () => {
  const phone = freshPhone();
  const talk = await talkOn("whatsapp", phone);
  await database.dataSource.query("UPDATE contacts SET email = ? WHERE id = ?", [
    email,
    talk.contactId,
  ]);
  const byPhone = await agenda.book({ customer: { contact: { phone } } });
  expect(await reachOf(talk, byPhone)).toEqual(all(byPhone));
  const later = { startTime: at("17:00") };
  const byEmail = await agenda.book({ customer: { contact: { email } }, ...later });
  const ids = [byPhone.id, byEmail.id];
  expect(await reachOf(talk, byEmail)).toEqual({ ...all(byEmail), listed: ids, known: ids });
  expect(await remind(byPhone)).toBe(talk.conversationId);
  await receive(database.dataSource, agenda.account.accountId, { from: phone });
});
