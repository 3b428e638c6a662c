import type { Appointment } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import type { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { accountSettings, type AccountSettings } from "../../model/account-settings.ts";
import {
  renderReminder,
  reminderValues,
  type ReminderFacts,
  type ReminderInput,
  type ReminderOutcome,
} from "../../model/reminder.ts";
import { asLocale } from "../../model/user.ts";
import { getAccount } from "../accounts/accounts.ts";
import { resourceIn } from "./agendas.ts";
import { lockAppointment, type LockedAppointment } from "./appointment-records.ts";
import { contactName } from "../contacts/contact-records.ts";
import { lockConversation } from "../conversations/conversation-records.ts";
import { findRefusal, insertOutbound } from "../conversations/messages.ts";
import { storeReminder } from "./reminder-plans.ts";

/**
 * Sends a due reminder once (rule C75). The appointment is locked here, and while it is cancelled
 * or moved. So no reminder is sent after such a change has committed.
 *
 * If the channel's window forbids the text, the account's template is sent. Without a usable
 * template the thread shows a failed message.
 * @returns `waiting` with the remaining time if the reminder is not due yet.
 */
export async function sendReminder(tx: Tx, input: ReminderInput): Promise<ReminderOutcome> {
  const current = await lockCurrent(tx, input);
  if (current === null) return { state: "over" };
  const { locked, reminder } = current;
  if (reminder.state !== "waiting") return { state: reminder.state };
  const waitMs = reminder.dueAt.getTime() - tx.now.getTime();
  if (waitMs > 0) return { state: "waiting", waitMs };
  const message = await remind(tx, locked);
  if (message === null) {
    await storeReminder(tx, reminder, { state: "skipped" });
    return { state: "skipped" };
  }
  const state = message.status === "failed" ? "failed" : "sent";
  const told = state === "sent" ? { remindedStartTime: locked.row.startTime } : {};
  await storeReminder(tx, reminder, { state, messageId: message.id, ...told });
  return { state };
}

/**
 * Cancels a reminder whose workflow an operator cancelled in Temporal, unless it was sent before.
 * The next change of its appointment plans another one.
 */
export async function cancelReminder(
  tx: Tx,
  input: ReminderInput,
): Promise<ReminderOutcome["state"]> {
  const current = await lockCurrent(tx, input);
  if (current === null) return "over";
  const { reminder } = current;
  if (reminder.state === "waiting") await storeReminder(tx, reminder, { state: "cancelled" });
  return reminder.state;
}

/**
 * The reminder of a run, locked after its appointment; null if another run has replaced this run.
 */
async function lockCurrent(
  tx: Tx,
  { appointmentId, accountId, run }: ReminderInput,
): Promise<{ locked: LockedAppointment; reminder: AppointmentReminder } | null> {
  const locked = await lockIfThere(tx, appointmentId);
  if (locked === null) return null;
  const reminder = await tx.manager.findOne(AppointmentReminder, {
    where: { appointmentId, accountId },
    lock: { mode: "pessimistic_write" },
  });
  return reminder?.run === run ? { locked, reminder } : null;
}

/** Null if the appointment was erased with its contact: then no reminder is needed. */
async function lockIfThere(tx: Tx, id: number): Promise<LockedAppointment | null> {
  return await lockAppointment(tx, id).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "appointment_not_found") return null;
    throw error;
  });
}

/**
 * @returns null if reminders are off now, the appointment has begun, or there is no conversation.
 */
async function remind(tx: Tx, { row, resources }: LockedAppointment): Promise<Message | null> {
  const account = await getAccount(tx);
  const settings = accountSettings.parse(account.settings);
  if (settings.reminder_hours_before === null || row.startTime <= tx.now) return null;
  // The conversation of the booking may be long over.
  const place = (await findLastWritten(tx, row.contactId)) ?? row.conversationId;
  if (place === null) return null;
  const conversation = await lockConversation(tx, place);
  const facts = await factsOf(tx, row, resourceIn(resources, row.resourceId), account.locale);
  return await write(tx, conversation, settings, facts);
}

/** The conversation where the customer wrote last. If there is none, it is the newest. */
async function findLastWritten({ manager }: Tx, contactId: number): Promise<number | null> {
  const [last] = await manager.query<{ id: number }[]>(
    `SELECT id FROM conversations FORCE INDEX (conversations_contact) WHERE contact_id = ?
      ORDER BY last_customer_message_at DESC, id DESC LIMIT 1`,
    [contactId],
  );
  return last?.id ?? null;
}

async function factsOf(
  tx: Tx,
  { contactId, startTime }: Appointment,
  { timeZone }: Resource,
  locale: string,
): Promise<ReminderFacts> {
  const contact = await tx.manager.findOneByOrFail(Contact, { id: contactId });
  return { name: contactName(contact), startTime, timeZone, locale: asLocale(locale) };
}

async function write(
  tx: Tx,
  conversation: Conversation,
  { reminder_text: text, reminder_template: template }: AccountSettings,
  facts: ReminderFacts,
): Promise<Message> {
  const content = renderReminder(text, facts);
  const failure = await findRefusal(tx, conversation, { type: "text", content });
  const mayBeTemplate =
    template !== null && (await findRefusal(tx, conversation, { type: "template" })) === null;
  if (failure === null || !mayBeTemplate) {
    return await insertOutbound(tx, conversation, { type: "text", content }, { failure });
  }
  const { name, date, time } = reminderValues(facts);
  const params = [name, date, time];
  return await insertOutbound(tx, conversation, {
    type: "template",
    template: { ...template, params },
  });
}
