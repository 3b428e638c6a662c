import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { CalendarEventRow } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { recordAudit } from "../accounts/audit.ts";
import { findOwned } from "../sql.ts";
import { requestCalendarRead } from "./calendar-reads.ts";
import type { CalendarWrite } from "./calendar-events.ts";

/** Times of an event. */
export interface EventTimes {
  startTime: Date;
  endTime: Date;
}

/** An event as it was read after a write was refused. */
export interface SeenEventState extends EventTimes {
  /** Moment of its last change by anybody; null if unknown. */
  updatedAt: Date | null;
}

/**
 * True for times that somebody else gave an event: they differ from the times that were seen,
 * written and wanted, also by a move that is under way.
 */
export function isForeignTime(
  event: EventTimes,
  row: Pick<CalendarEventRow, "seenStart" | "seenEnd" | "sentStart" | "sentEnd">,
  wanted: readonly EventTimes[],
): boolean {
  const known = [
    ...wanted,
    { startTime: row.seenStart, endTime: row.seenEnd },
    { startTime: row.sentStart, endTime: row.sentEnd },
  ];
  return !known.some(
    ({ startTime, endTime }) =>
      startTime?.getTime() === event.startTime.getTime() &&
      endTime?.getTime() === event.endTime.getTime(),
  );
}

/** Times that an appointment has, or gets by a move under way. */
export async function listWantedTimes(tx: Tx, appointment: Appointment): Promise<EventTimes[]> {
  return [appointment, ...(await listMoves(tx, appointment.id))];
}

async function listMoves(tx: Tx, appointmentId: number): Promise<AppointmentReschedule[]> {
  const { accountId } = tx.actor;
  const open = { accountId, appointmentId, state: "requested" as const };
  return await tx.manager.findBy(AppointmentReschedule, open);
}

/**
 * Decides about a write that was refused, because the event had been changed. The later change of
 * the times wins. Theirs is then read and applied, and ours is left.
 */
export async function judgeConflict(
  tx: Tx,
  write: CalendarWrite,
  seen: SeenEventState,
): Promise<"ours" | "theirs"> {
  const row = await findOwned(tx, CalendarEventRow, { id: write.rowId });
  const appointment = await findOwned(tx, Appointment, { id: write.appointmentId });
  if (row === null || appointment === null || write.link.direction !== "two_way") return "ours";
  const moves = await listMoves(tx, appointment.id);
  if (!isForeignTime(seen, row, [appointment, ...moves])) return "ours";
  const changedAt = Math.max(
    appointment.updatedAt.getTime(),
    ...moves.map(({ createdAt }) => createdAt.getTime()),
  );
  if (seen.updatedAt === null || seen.updatedAt.getTime() <= changedAt) {
    await noteOverruled(tx, appointment, seen);
    return "ours";
  }
  await requestCalendarRead(tx, write.link.id);
  return "theirs";
}

/** Notes a time of the calendar that a later change of ours replaced. */
export async function noteOverruled(
  tx: Tx,
  { id }: Pick<Appointment, "id">,
  { startTime, endTime }: EventTimes,
): Promise<void> {
  await recordAudit(tx, {
    action: "appointment.calendar_time_replaced",
    targetType: "appointment",
    targetId: id,
    details: { start_time: startTime.toISOString(), end_time: endTime.toISOString() },
  });
}
