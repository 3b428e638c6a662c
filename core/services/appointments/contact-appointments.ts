import { In } from "typeorm";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import type { Tx } from "../../../db/transaction.ts";
import { requestCalendarSync } from "../calendars/calendar-requests.ts";

/** Gives the appointments of the loser of a merge to the winner; both are locked. */
export async function moveAppointments(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  await tx.manager.update(Appointment, own, { contactId: winnerId });
}

/**
 * Deletes the appointments of locked contacts that are erased, with their moves, their reminders and
 * their events on external calendars; their times are free. What is under way finds its appointment gone.
 */
export async function deleteAppointments(tx: Tx, contactIds: number[]): Promise<void> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.find(Appointment, {
    where: { accountId, contactId: In(contactIds) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  // A change of its own: the one before has asked already.
  for (const { id, resourceId, conversationId, version } of rows) {
    const changed = { id, accountId, resourceId, conversationId, version: version + 1 };
    await requestCalendarSync(tx, changed);
  }
  await tx.manager.delete(AppointmentReminder, { accountId, appointmentId: In(ids) });
  await tx.manager.delete(AppointmentReschedule, { accountId, appointmentId: In(ids) });
  await tx.manager.delete(Appointment, { accountId, id: In(ids) });
}
