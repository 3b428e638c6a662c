import type { Appointment } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import type { Tx } from "../../../db/transaction.ts";
import { reminderDueAt, type ReminderState } from "../../model/reminder.ts";
import { getAccountSettings } from "../accounts/accounts.ts";
import { request } from "../outbox/outbox.ts";
import { insertRow } from "../sql.ts";

/**
 * Plans the reminder of an appointment, in the transaction that books or changes the appointment. A
 * confirmed appointment that is far enough ahead gets a workflow for its time. The workflow of a
 * moved, cancelled or finished one gets a signal to end.
 *
 * Each time has a run of its own, so the state of an earlier run in Temporal does not matter. One
 * time is never reminded of twice (rule C75).
 * @param row locked, or new in this transaction.
 */
export async function planReminder(tx: Tx, row: Appointment): Promise<void> {
  const known = await tx.manager.findOne(AppointmentReminder, {
    where: { appointmentId: row.id, accountId: row.accountId },
    lock: { mode: "pessimistic_write" },
  });
  const startMs = row.startTime.getTime();
  if (known?.state === "waiting") {
    if (row.status === "confirmed" && known.startTime.getTime() === startMs) return;
    await storeReminder(tx, known, { state: "cancelled" });
    await request(tx, reminderCommand(row, known.run, "signal"));
  }
  const dueAt = await findDueAt(tx, row);
  if (dueAt === null || known?.remindedStartTime?.getTime() === startMs) return;
  const plan = { state: "waiting" as const, startTime: row.startTime, dueAt, messageId: null };
  const run = (known?.run ?? 0) + 1;
  if (known === null) await insertReminder(tx, row, { run, ...plan });
  else await storeReminder(tx, known, { run, ...plan });
  await request(tx, reminderCommand(row, run, "start"));
}

/** Stores changes of a locked reminder. */
export async function storeReminder(
  tx: Tx,
  row: AppointmentReminder,
  changes: Partial<AppointmentReminder> & { state: ReminderState },
): Promise<void> {
  Object.assign(row, changes);
  const { appointmentId } = row;
  await tx.manager.update(AppointmentReminder, appointmentId, { ...changes, updatedAt: tx.now });
}

async function insertReminder(
  tx: Tx,
  { id: appointmentId, accountId }: Appointment,
  plan: Pick<AppointmentReminder, "run" | "state" | "startTime" | "dueAt" | "messageId">,
): Promise<void> {
  const times = { createdAt: tx.now, updatedAt: tx.now };
  await insertRow(tx, AppointmentReminder, { appointmentId, accountId, ...plan, ...times });
}

async function findDueAt(tx: Tx, { status, startTime }: Appointment): Promise<Date | null> {
  if (status !== "confirmed") return null;
  const { reminder_hours_before: hours } = await getAccountSettings(tx);
  return reminderDueAt(startTime, hours, tx.now);
}

/** Command that starts the workflow of a reminder, or signals a change. */
export function reminderCommand(
  { id, accountId, conversationId }: Pick<Appointment, "id" | "accountId" | "conversationId">,
  run: number,
  op: "start" | "signal",
) {
  return {
    op,
    workflow: "remindAppointment" as const,
    workflowId: `reminder-${id}-${run}`,
    taskQueue: "conversations" as const,
    input: { accountId, appointmentId: id, run },
    ...(op === "signal" ? { signal: "changed" } : {}),
    summary: `reminder of appointment ${id}`,
    appointmentId: id,
    ...(conversationId === null ? {} : { conversationId }),
  };
}
