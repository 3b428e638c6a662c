import { beforeEach, expect, test } from "vitest";
import type { AccountSettings } from "../../../../core/model/account-settings.ts";
import type { ReminderOutcome } from "../../../../core/model/reminder.ts";
import {
  commitReschedule,
  requestReschedule,
} from "../../../../core/services/appointments/appointment-reschedules.ts";
import {
  cancelAppointment,
  completeAppointment,
  markNoShow,
  reactivateAppointment,
} from "../../../../core/services/appointments/appointment-status.ts";
import { eraseContact } from "../../../../core/services/contact-lifecycle/contact-erasure.ts";
import { cancelReminder, sendReminder } from "../../../../core/services/appointments/reminders.ts";
import type { Appointment } from "../../../../db/entities/appointment.ts";
import type { AppointmentReminder } from "../../../../db/entities/appointment-reminder.ts";
import {
  afterwards,
  at,
  createTestAgenda,
  type TestAgenda,
} from "../../../support/appointments.ts";
import { freshPhone } from "../../../support/contact-load.ts";
import { connectWhatsApp, receive } from "../../../support/conversations.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { useFixture } from "../../../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
let agenda: TestAgenda;
const hourMs = 3_600_000;
/** A day before 16:00, which is what tests book. */
const due = new Date(at("16:00").getTime() - 24 * hourMs);

beforeEach(async () => {
  agenda = await createTestAgenda(database.dataSource);
  await set({ reminder_hours_before: 24 });
});

async function set(settings: Partial<AccountSettings>): Promise<void> {
  await database.dataSource.query("UPDATE accounts SET settings = ? WHERE id = ?", [
    JSON.stringify(settings),
    agenda.account.accountId,
  ]);
}

/** A customer with a conversation. @returns the phone. */
async function customer(): Promise<string> {
  const from = freshPhone();
  await receive(database.dataSource, agenda.account.accountId, { from, name: "Ana Torres" });
  return from;
}

async function book(time = "16:00"): Promise<Appointment> {
  const contact = { phone: await customer() };
  return await agenda.book({ customer: { contact }, startTime: at(time) });
}

/** What a run does at a moment. */
async function look(
  { id: appointmentId, accountId }: Pick<Appointment, "id" | "accountId">,
  now: Date = due,
  run = 1,
): Promise<ReminderOutcome> {
  return await agenda.run((tx) => sendReminder({ ...tx, now }, { accountId, appointmentId, run }));
}

async function move({ id }: Appointment, time: Date, mode: "same" | "replace" = "same") {
  return await agenda.run(async (tx) => {
    const given = { appointmentId: id, startTime: time, mode, source: "panel" };
    const reschedule = await requestReschedule(tx, given);
    return await commitReschedule(tx, Number(reschedule?.id));
  });
}

const step = ({ id }: Appointment) => ({ appointmentId: id, source: "panel" });
const sent = async () =>
  await database.dataSource.query<Record<string, unknown>[]>(
    "SELECT type, content, template, status, error, sender_type FROM messages WHERE account_id = ? AND direction = 'outbound' ORDER BY id",
    [agenda.account.accountId],
  );
const reminderOf = async ({ id }: Appointment) => {
  const [row] = await database.dataSource.query<AppointmentReminder[]>(
    "SELECT run, state, due_at AS dueAt, message_id AS messageId FROM appointment_reminders WHERE appointment_id = ?",
    [id],
  );
  return row;
};
const remindersIn = <T>({
  commands,
}: {
  commands: { workflow: string; op: string; workflowId: string }[];
  result: T;
}) =>
  commands
    .filter(({ workflow }) => workflow === "remindAppointment")
    .map(({ op, workflowId }) => [op, workflowId]);

test("a booking asks for its reminder, by ids alone", async () => {
  const contact = { phone: await customer() };
  const booking = agenda.booking({ customer: { contact } });
  const { result, commands } = await agenda.trace(async () => await agenda.book(booking));
  const { id, accountId, conversationId } = result;
  expect(commands.filter(({ workflow }) => workflow === "remindAppointment")).toEqual([
    {
      op: "start",
      workflow: "remindAppointment",
      workflowId: `reminder-${id}-1`,
      taskQueue: "conversations",
      input: { accountId, appointmentId: id, run: 1 },
      summary: `reminder of appointment ${id}`,
      appointmentId: id,
      conversationId,
    },
  ]);
  expect(await reminderOf(result)).toEqual({
    run: 1,
    state: "waiting",
    dueAt: due,
    messageId: null,
  });
});

test("it waits until it is due, goes once, and says when and to whom by the clock of the agenda", async () => {
  const row = await book();
  expect(await look(row, new Date(due.getTime() - 5_000))).toEqual({
    state: "waiting",
    waitMs: 5_000,
  });
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await sent()).toMatchObject([
    {
      type: "text",
      content:
        "Hello Ana Torres, this is a reminder of your appointment on Tuesday, March 5, 2030 at 4:00 PM.",
      status: "queued",
      sender_type: "system",
    },
  ]);
});

test("five looks at once send one message", async () => {
  const row = await book();
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => look(row)));
  expect(outcomes).toEqual(Array(5).fill({ state: "sent" }));
  expect(await sent()).toHaveLength(1);
});

test("reminders are off unless the account sets them, and for whoever books too late for one", async () => {
  await set({});
  const off = await agenda.trace(() => book());
  expect([remindersIn(off), await reminderOf(off.result)]).toEqual([[], undefined]);
  await set({ reminder_hours_before: 24 });
  const contact = { phone: await customer() };
  const startTime = new Date(Date.now() + 10 * hourMs);
  const late = await agenda.trace(() => agenda.book({ customer: { contact }, startTime }));
  expect([remindersIn(late), await reminderOf(late.result)]).toEqual([[], undefined]);
});

test("a cancellation tells the run, and from its commit on nothing is sent", async () => {
  const row = await book();
  const cancelled = await agenda.trace((tx) => cancelAppointment(tx, step(row)));
  expect(remindersIn(cancelled)).toEqual([["signal", `reminder-${row.id}-1`]]);
  expect(await look(row)).toEqual({ state: "cancelled" });
  expect(await sent()).toEqual([]);
});

test("a cancellation at the very moment: it is cancelled and silent, or was sent before", async () => {
  for (let round = 0; round < 12; round += 1) {
    const row = await book(`${String(8 + round).padStart(2, "0")}:00`);
    const before = (await sent()).length;
    const [outcome] = await Promise.all([
      look(row, new Date(row.startTime.getTime() - 24 * hourMs)),
      agenda.run((tx) => cancelAppointment(tx, step(row))),
    ]);
    const messages = (await sent()).length - before;
    expect([
      ["cancelled", 0],
      ["sent", 1],
    ]).toContainEqual([outcome.state, messages]);
    expect((await reminderOf(row))?.state).toBe(outcome.state);
  }
});

test.each([
  ["completed", afterwards(completeAppointment)],
  ["a no-show", afterwards(markNoShow)],
])("an appointment that is %s needs none", async (_, change) => {
  const row = await book();
  await agenda.run((tx) => change(tx, step(row)));
  expect(await look(row)).toEqual({ state: "cancelled" });
  expect(await sent()).toEqual([]);
});

test("a move ends the run, and another one waits for the new time", async () => {
  const row = await book();
  const moved = await agenda.trace(() => move(row, at("20:00")));
  // Whatever became of the first in Temporal, an operator's Terminate included, the second is new there.
  expect(remindersIn(moved)).toEqual([
    ["signal", `reminder-${row.id}-1`],
    ["start", `reminder-${row.id}-2`],
  ]);
  expect(await look(row)).toEqual({ state: "over" });
  expect(await look(row, due, 2)).toEqual({ state: "waiting", waitMs: 4 * hourMs });
  expect(await look(row, new Date(due.getTime() + 4 * hourMs), 2)).toEqual({ state: "sent" });
  expect(await sent()).toMatchObject([{ content: expect.stringContaining("8:00 PM") }]);
});

test("what an operator cancels in Temporal is not sent, and the next move gets a reminder again", async () => {
  const row = await book();
  const cancel = async (run: number) => {
    const input = { accountId: row.accountId, appointmentId: row.id, run };
    return await agenda.run((tx) => cancelReminder(tx, input));
  };
  expect([await cancel(1), await cancel(1)]).toEqual(["cancelled", "cancelled"]);
  expect(await look(row)).toEqual({ state: "cancelled" });
  const moved = await agenda.trace(() => move(row, at("20:00")));
  expect(remindersIn(moved)).toEqual([["start", `reminder-${row.id}-2`]]);
  expect(await cancel(1), "an older run ends nothing").toBe("over");
  const later = new Date(due.getTime() + 4 * hourMs);
  expect(await look(row, later, 2)).toEqual({ state: "sent" });
  expect(await cancel(2)).toBe("sent");
  expect(await sent()).toHaveLength(1);
});

test("a move after the reminder gets one for the new time, in a run of its own", async () => {
  const row = await book();
  await look(row);
  const moved = await agenda.trace(() => move(row, at("20:00")));
  expect(remindersIn(moved)).toEqual([["start", `reminder-${row.id}-2`]]);
  expect(await look(row)).toEqual({ state: "over" });
  const later = new Date(due.getTime() + 4 * hourMs);
  expect(await look(row, later, 2)).toEqual({ state: "sent" });
  expect(await sent()).toHaveLength(2);
});

test("back at a time that was reminded of already, there is no second reminder of it", async () => {
  const row = await book();
  expect(await look(row)).toEqual({ state: "sent" });
  await set({ reminder_hours_before: 2 });
  await move(row, at("20:00"));
  const back = await agenda.trace(() => move(row, at("16:00")));
  expect(remindersIn(back)).toEqual([["signal", `reminder-${row.id}-2`]]);
  expect([await look(row, at("14:00")), await look(row, at("14:00"), 2)]).toEqual([
    { state: "over" },
    { state: "cancelled" },
  ]);
  expect(await sent()).toHaveLength(1);
});

/** As a merge of the two contacts leaves them. */
async function moveToContact(conversationId: number, { contactId }: Appointment): Promise<void> {
  await database.dataSource.query("UPDATE conversations SET contact_id = ? WHERE id = ?", [
    contactId,
    conversationId,
  ]);
}

const placesOfSent = async () =>
  await database.dataSource.query<{ place: number }[]>(
    "SELECT conversation_id AS place FROM messages WHERE account_id = ? AND direction = 'outbound'",
    [agenda.account.accountId],
  );

test("it goes to the conversation where the customer wrote last, not to that of the booking", async () => {
  const row = await book();
  const { accountId } = agenda.account;
  const newer = await receive(database.dataSource, accountId, { from: freshPhone() });
  const { conversationId } = newer.row;
  await moveToContact(conversationId, row);
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await placesOfSent()).toEqual([{ place: conversationId }]);
  expect(conversationId).toBeGreaterThan(row.conversationId ?? 0);
});

test("it goes to the conversation where the customer wrote last, also where that is the older one", async () => {
  const { accountId } = agenda.account;
  const from = freshPhone();
  const { conversationId } = (await receive(database.dataSource, accountId, { from })).row;
  const row = await book();
  await receive(database.dataSource, accountId, { from });
  await moveToContact(conversationId, row);
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await placesOfSent()).toEqual([{ place: conversationId }]);
  expect(conversationId).toBeLessThan(row.conversationId ?? 0);
});

test("an appointment that another one replaces leaves its reminder to that one", async () => {
  const row = await book();
  const moved = await agenda.trace(() => move(row, at("20:00"), "replace"));
  const { result } = moved;
  const next = result.state === "committed" ? result.appointmentId : 0;
  expect(remindersIn(moved)).toEqual([
    ["start", `reminder-${next}-1`],
    ["signal", `reminder-${row.id}-1`],
  ]);
  expect(await look(row)).toEqual({ state: "cancelled" });
  expect(
    await look({ id: next, accountId: row.accountId }, new Date(due.getTime() + 4 * hourMs)),
  ).toEqual({
    state: "sent",
  });
  expect(await sent()).toHaveLength(1);
});

test("confirmed again it gets a run of its own, but no second reminder of the same time", async () => {
  const row = await book();
  await agenda.run((tx) => cancelAppointment(tx, step(row)));
  const again = await agenda.trace((tx) => reactivateAppointment(tx, step(row)));
  expect(remindersIn(again)).toEqual([["start", `reminder-${row.id}-2`]]);
  expect(await look(row)).toEqual({ state: "over" });
  expect(await look(row, due, 2)).toEqual({ state: "sent" });
  await agenda.run((tx) => cancelAppointment(tx, step(row)));
  const third = await agenda.trace((tx) => reactivateAppointment(tx, step(row)));
  expect(remindersIn(third)).toEqual([]);
  expect(await sent()).toHaveLength(1);
});

test("a worker that comes back late still reminds, and after the start it does not", async () => {
  const row = await book();
  const past = await book("12:00");
  expect(await look(past, at("12:00"))).toEqual({ state: "skipped" });
  expect(await look(row, at("15:59"))).toEqual({ state: "sent" });
  expect(await sent()).toHaveLength(1);
});

test("reminders that were switched off meanwhile are not sent", async () => {
  const row = await book();
  await set({});
  expect(await look(row)).toEqual({ state: "skipped" });
  expect(await sent()).toEqual([]);
});

test("a customer without a conversation cannot be reminded; with one that is newer than the booking they are", async () => {
  const phone = freshPhone();
  const row = await agenda.book({ customer: { contact: { phone } } });
  const silent = await agenda.book({ startTime: at("17:00") });
  await receive(database.dataSource, agenda.account.accountId, { from: phone });
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await look(silent, at("16:59"))).toEqual({ state: "skipped" });
});

test("outside the channel's window the account's template goes, with name, date and time", async () => {
  const { accountId } = agenda.account;
  await connectWhatsApp(database.dataSource, accountId);
  const template = { name: "appointment_reminder", language: "es_MX" };
  await set({ reminder_hours_before: 24, reminder_template: template });
  await database.dataSource.query("UPDATE accounts SET locale = 'es' WHERE id = ?", [accountId]);
  expect(await look(await book())).toEqual({ state: "sent" });
  const params = ["Ana Torres", "martes, 5 de marzo de 2030", "16:00"];
  expect(await sent()).toMatchObject([
    { type: "template", template: { ...template, params }, status: "queued", error: null },
  ]);
});

test("outside the window and without a template it is a failed message, for people to see", async () => {
  await connectWhatsApp(database.dataSource, agenda.account.accountId);
  const row = await book();
  expect(await look(row)).toEqual({ state: "failed" });
  expect(await look(row)).toEqual({ state: "failed" });
  expect(await sent()).toMatchObject([
    { type: "text", status: "failed", error: { code: "messaging_window_closed" } },
  ]);
});

test("within the window the account's own words go", async () => {
  await connectWhatsApp(database.dataSource, agenda.account.accountId);
  const template = { name: "appointment_reminder", language: "es_MX" };
  const own = { reminder_text: "{name}: {time}", reminder_template: template };
  await set({ reminder_hours_before: 24, ...own });
  const row = await book();
  await database.dataSource.query(
    "UPDATE conversations SET last_customer_message_at = ? WHERE id = ?",
    [due, row.conversationId],
  );
  expect(await look(row)).toEqual({ state: "sent" });
  expect(await sent()).toMatchObject([{ type: "text", content: "Ana Torres: 4:00 PM" }]);
});

test("an erased customer is not written to, and nothing is kept of the reminder", async () => {
  const row = await book();
  const { accountId, userId } = agenda.account;
  const actor = { type: "user", accountId, userId, role: "admin" } as const;
  await agenda.run((tx) => eraseContact({ ...tx, actor }, row.contactId));
  expect(await look(row)).toEqual({ state: "over" });
  expect([await sent(), await reminderOf(row)]).toEqual([[], undefined]);
});
