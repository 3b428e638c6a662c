import type { Appointment } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Message } from "../../../db/entities/message.ts";
import { Resource } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { accountSettings, type AccountSettings } from "../../model/account-settings.ts";
import { minutesBetween } from "../../model/appointment.ts";
import type { MessageError } from "../../model/message.ts";
import {
  renderReminder,
  reminderValues,
  type ReminderFacts,
  type ReminderInput,
  type ReminderOutcome,
} from "../../model/reminder.ts";
import { asLocale } from "../../model/user.ts";
import { getAccount } from "../accounts/accounts.ts";
import { actAs } from "../act-as.ts";
import { resourceIn } from "./resource-times.ts";
import { lockAppointment, type LockedAppointment } from "./appointment-records.ts";
import { contactName } from "../contacts/contact-records.ts";
import {
  getConversationRow,
  lockConversation,
} from "../conversation-records/conversation-records.ts";
import { findRefusal, insertOutbound, type OutboundContent } from "../conversations/messages.ts";
import { reminderIdOf } from "../conversations/reminder-messages.ts";
import { findOwned } from "../sql.ts";
import { storeReminder } from "./reminder-plans.ts";

/**
 * Sends a due reminder once (rule C75). The appointment is locked here, and while it is cancelled
 * or moved. So no reminder is sent after such a change has committed. One that still waits for its
 * channel then is taken back.
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
  const message = await remind(tx, locked, reminder.run);
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
async function remind(
  tx: Tx,
  { row, resources }: LockedAppointment,
  run: number,
): Promise<Message | null> {
  const account = await getAccount(tx);
  const settings = accountSettings.parse(account.settings);
  if (settings.reminder_hours_before === null || row.startTime <= tx.now) return null;
  const conversationId = await findReminderConversation(tx, row);
  if (conversationId === null) return null;
  const conversation = await lockConversation(tx, conversationId);
  const facts = await factsOf(tx, row, resourceIn(resources, row.resourceId), account.locale);
  const { content, failure } = await compose(tx, conversation, settings, facts);
  const named = { ...content, external_id: reminderIdOf(row, run) };
  return await insertOutbound(tx, conversation, named, { failure });
}

/**
 * Hours from the planned reminder of an appointment to its start, to tell the customer. Null where
 * no reminder is planned, or where no channel would take the reminder as things are now.
 */
export async function findReminderHours(tx: Tx, row: Appointment): Promise<number | null> {
  const { id: appointmentId, accountId, resourceId } = row;
  const waiting = { appointmentId, accountId, state: "waiting" } as const;
  const planned = await tx.manager.findOneBy(AppointmentReminder, waiting);
  if (planned === null || planned.dueAt <= tx.now) return null;
  const account = await getAccount(tx);
  const settings = accountSettings.parse(account.settings);
  const conversationId = await findReminderConversation(tx, row);
  const resource = await findOwned(tx, Resource, { id: resourceId });
  if (settings.reminder_hours_before === null) return null;
  if (conversationId === null || resource === null) return null;
  const conversation = await getConversationRow(tx, conversationId);
  const facts = await factsOf(tx, row, resource, account.locale);
  // The channel's window may be closed then, unless the customer writes again.
  const then: Tx = { ...actAs(tx, "system", accountId), now: planned.dueAt };
  const { failure } = await compose(then, conversation, settings, facts);
  return failure === null ? minutesBetween(planned.dueAt, planned.startTime) / 60 : null;
}

/**
 * The conversation for a reminder. It is where the customer wrote last, else the newest one. The
 * conversation of the booking may be long over. A web chat gets reminders of its own bookings alone,
 * since its visitor may have typed the email or phone of somebody else.
 */
async function findReminderConversation(
  { manager }: Tx,
  { contactId, conversationId }: Appointment,
): Promise<number | null> {
  const [last] = await manager.query<{ id: number }[]>(
    `SELECT id FROM conversations FORCE INDEX (conversations_contact)
      WHERE contact_id = ? AND (channel <> 'web' OR id = ?)
      ORDER BY last_customer_message_at DESC, id DESC LIMIT 1`,
    [contactId, conversationId],
  );
  return last?.id ?? conversationId;
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

/** The reminder in the form that its channel takes; with the refusal where it takes none. */
async function compose(
  tx: Tx,
  conversation: Conversation,
  { reminder_text: text, reminder_template: template }: AccountSettings,
  facts: ReminderFacts,
): Promise<{ content: OutboundContent; failure: MessageError | null }> {
  const content = { type: "text" as const, content: renderReminder(text, facts) };
  const failure = await findRefusal(tx, conversation, content);
  if (failure === null || template === null) return { content, failure };
  if ((await findRefusal(tx, conversation, { type: "template" })) !== null) {
    return { content, failure };
  }
  const { name, date, time } = reminderValues(facts);
  const params = [name, date, time];
  return { content: { type: "template", template: { ...template, params } }, failure: null };
}
