import { CalendarEventRow, CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { findOwned, insertOrLose, insertRow, lockOwnedIfThere } from "../sql.ts";

/**
 * Makes an event that somebody else wrote into a resource's calendar the event of an appointment, so
 * that the reading makes no second appointment of it. A second event replaces the first one. Does
 * nothing if the resource has no calendar.
 * @throws WriteConflict if another transaction has just taken the event
 */
export async function adoptEvent(
  tx: Tx,
  {
    appointmentId,
    resourceId,
    eventId,
  }: { appointmentId: number; resourceId: number; eventId: string },
): Promise<void> {
  const link = await findOwned(tx, CalendarLink, { resourceId });
  if (link === null) return;
  const { accountId } = tx.actor;
  const known = await lockOwnedIfThere(tx, CalendarEventRow, { appointmentId, linkId: link.id });
  if (known?.eventId === eventId) return;
  const theirs = { eventId, origin: "google", etag: null, written: null, goneAt: null } as const;
  if (known !== null) {
    await insertOrLose(() => tx.manager.update(CalendarEventRow, known.id, theirs));
    return;
  }
  await insertOrLose(() =>
    insertRow(tx, CalendarEventRow, {
      ...theirs,
      accountId,
      appointmentId,
      linkId: link.id,
      createdAt: tx.now,
      updatedAt: tx.now,
    }),
  );
}
