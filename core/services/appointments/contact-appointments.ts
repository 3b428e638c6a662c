import { In } from "typeorm";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { AppointmentReminder } from "../../../db/entities/appointment-reminder.ts";
import type { Tx } from "../../../db/transaction.ts";
import { requestCalendarSync } from "../calendars/calendar-requests.ts";
import { forgetInvitees } from "../calendars/calendly-erasure.ts";

/** Moves the appointments of a merge's loser to the winner; both contacts are locked. */
export async function moveAppointments(tx: Tx, loserId: number, winnerId: number): Promise<void> {
  const own = { accountId: tx.actor.accountId, contactId: loserId };
  await tx.manager.update(Appointment, own, { contactId: winnerId });
}

/**
 * Deletes the appointments of erased, locked contacts, with their moves, reminders and external
 * events. Their times are free again. Runs that are under way find no appointment.
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
  // A version of its own: the sync of the version before was requested already.
  for (const { id, resourceId, conversationId, version } of rows) {
    const changed = { id, accountId, resourceId, conversationId, version: version + 1 };
    await requestCalendarSync(tx, changed);
  }
  await forgetInvitees(tx, ids);
  await tx.manager.delete(AppointmentReminder, { accountId, appointmentId: In(ids) });
  await tx.manager.delete(AppointmentReschedule, { accountId, appointmentId: In(ids) });
  await tx.manager.delete(Appointment, { accountId, id: In(ids) });
}
