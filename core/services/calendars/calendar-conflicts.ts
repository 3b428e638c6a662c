import { MoreThan } from "typeorm";
import { Appointment, AppointmentReschedule } from "../../../db/entities/appointment.ts";
import { CalendarEventRow } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { moveTime } from "../../model/appointment.ts";
import { minuteMs } from "../../model/durations.ts";
import { recordAudit } from "../accounts/audit.ts";
import { findOwned, insertRow } from "../sql.ts";
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
  row: Pick<CalendarEventRow, "seenStart" | "seenEnd" | "sentStart" | "sentEnd" | "unheard">,
  wanted: readonly EventTimes[],
): boolean {
  const known = [
    ...wanted,
    { startTime: row.seenStart, endTime: row.seenEnd },
    { startTime: row.sentStart, endTime: row.sentEnd },
    ...(row.unheard ?? []).map(({ start, end }) => ({
      startTime: new Date(start),
      endTime: new Date(end),
    })),
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
 * the times wins. Theirs is then read and applied, and ours is left. An event that we delete is
 * deleted in any case: nobody is expected at its new time.
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
  const isOlder = seen.updatedAt === null || seen.updatedAt.getTime() <= changedAt;
  if (isOlder || write.event === null) {
    await noteOverruled(tx, appointment, seen);
    return "ours";
  }
  await requestCalendarRead(tx, write.link.id);
  return "theirs";
}

/** Code of a move in the calendar that a later change of ours replaced. */
const overruled = "calendar_overruled";
/** A write that is tried again meets the same time once more. It is noted once. */
const notedMs = 15 * minuteMs;

/**
 * Notes a time of the calendar that a later change of ours replaced, in the history of the
 * appointment and in the audit log.
 */
export async function noteOverruled(
  tx: Tx,
  row: Appointment,
  { startTime, endTime }: EventTimes,
): Promise<void> {
  const { id: appointmentId, accountId, resourceId } = row;
  const move = { accountId, appointmentId, resourceId, ...moveTime(row, startTime, endTime) };
  const end = { state: "released", failureCode: overruled } as const;
  const since = MoreThan(new Date(tx.now.getTime() - notedMs));
  const same = { accountId, appointmentId, startTime, endTime, ...end, finishedAt: since };
  if (await tx.manager.existsBy(AppointmentReschedule, same)) return;
  await insertRow(tx, AppointmentReschedule, {
    ...move,
    ...end,
    mode: "same",
    source: "google",
    newAppointmentId: null,
    requestedByUserId: null,
    expiresAt: tx.now,
    finishedAt: tx.now,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  await recordAudit(tx, {
    action: "appointment.calendar_time_replaced",
    targetType: "appointment",
    targetId: appointmentId,
    details: { start_time: startTime.toISOString(), end_time: endTime.toISOString() },
  });
}
