import { In, LessThan, MoreThan } from "typeorm";
import { Resource, ResourceClosure } from "../../../db/entities/resource.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import {
  appointmentStatuses,
  maxBufferMinutes,
  maxDurationMinutes,
  occupiesTime,
  takenReason,
  type BookedTime,
  type OccupiedTime,
  type TakenReason,
} from "../../model/appointment.ts";
import { isOpen, type Interval, type OpeningHours } from "../../model/slots.ts";
import { placeholders } from "../sql.ts";
import { minuteMs } from "../../model/durations.ts";

const occupying = appointmentStatuses.filter(occupiesTime);

/**
 * Reads and locks resources of the account, in the order of their ids. Bookings of one resource
 * then happen one after the other. A caller that locks a contact too locks it before, and an
 * appointment after.
 * @returns the resources by id.
 * @throws AppError `validation_error` with `unknown_resource`.
 */
export async function lockResources(tx: Tx, ids: number[]): Promise<Map<number, Resource>> {
  const rows = await tx.manager.find(Resource, {
    where: { accountId: tx.actor.accountId, id: In(ids) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const known = new Map(rows.map((row) => [row.id, row]));
  if (ids.every((id) => known.has(id))) return known;
  throw invalidField("body.resource_id", "unknown_resource", "Name a resource of this account.");
}

/** One resource, locked. @throws AppError `validation_error` with `unknown_resource`. */
export async function lockResource(tx: Tx, id: number): Promise<Resource> {
  return resourceIn(await lockResources(tx, [id]), id);
}

/** A resource out of the result of `lockResources`. */
export function resourceIn(resources: Map<number, Resource>, id: number): Resource {
  const row = resources.get(id);
  if (row === undefined) throw new Error(`Resource ${id} was not locked.`);
  return row;
}

/** Opening hours of a resource, with its closures that overlap `range`. */
export async function loadOpeningHours(
  tx: Tx,
  resource: Resource,
  range: Interval,
): Promise<OpeningHours> {
  const closures = await tx.manager.find(ResourceClosure, {
    where: {
      accountId: tx.actor.accountId,
      resourceId: resource.id,
      endTime: MoreThan(range.start),
      startTime: LessThan(range.end),
    },
  });
  return {
    timeZone: resource.timeZone,
    weeklyHours: resource.weeklyHours,
    closures: closures.map(({ startTime, endTime }) => ({ start: startTime, end: endTime })),
  };
}

/**
 * Times within `range` that appointments, holds and events of external calendars block on a
 * resource, except those of one appointment.
 */
export async function listBusy(
  tx: Tx,
  resourceId: number,
  range: Interval,
  exceptAppointmentId?: number,
): Promise<Interval[]> {
  const rows = await listOccupied(tx, resourceId, range, exceptAppointmentId);
  return rows.map(({ blockedFrom, blockedUntil }) => ({ start: blockedFrom, end: blockedUntil }));
}

/**
 * Another appointment whose own time overlaps a time, without regard to buffers and holds.
 * @returns the id of the earliest one, or null
 */
export async function findOverlap(
  tx: Tx,
  resourceId: number,
  { startTime, endTime }: Pick<BookedTime, "startTime" | "endTime">,
  exceptAppointmentId: number,
): Promise<number | null> {
  const [row] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM appointments FORCE INDEX (appointments_resource)
      WHERE account_id = ? AND resource_id = ? AND start_time > ? AND start_time < ?
        AND status IN (${placeholders(occupying)}) AND end_time > ? AND id <> ?
      ORDER BY start_time, id LIMIT 1`,
    [
      tx.actor.accountId,
      resourceId,
      new Date(startTime.getTime() - maxDurationMinutes * minuteMs - 1),
      endTime,
      ...occupying,
      startTime,
      exceptAppointmentId,
    ],
  );
  return row?.id ?? null;
}

/** Kinds of occupied times by their number in the query. */
const occupiedKinds = ["appointment", "hold", "busy"] as const;

async function listOccupied(
  tx: Tx,
  resourceId: number,
  range: Interval,
  exceptAppointmentId = 0,
): Promise<OccupiedTime[]> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<(BookedTime & { kind: number })[]>(
    `SELECT start_time AS startTime, end_time AS endTime,
            blocked_from AS blockedFrom, blocked_until AS blockedUntil, 0 AS kind
       FROM appointments FORCE INDEX (appointments_resource)
      WHERE account_id = ? AND resource_id = ? AND start_time > ? AND start_time < ?
        AND status IN (${placeholders(occupying)})
        AND blocked_from < ? AND blocked_until > ? AND id <> ?
      UNION ALL
     SELECT start_time, end_time, blocked_from, blocked_until, 1
       FROM appointment_reschedules FORCE INDEX (appointment_reschedules_resource)
      WHERE account_id = ? AND resource_id = ? AND state = 'requested' AND expires_at > ?
        AND blocked_from < ? AND blocked_until > ? AND appointment_id <> ?
      UNION ALL
     SELECT start_time, end_time, start_time, end_time, 2
       FROM busy_blocks FORCE INDEX (busy_blocks_time)
      WHERE account_id = ? AND resource_id = ? AND end_time > ? AND start_time < ?`,
    [
      accountId,
      resourceId,
      // The index holds start times only. No appointment that starts outside these can reach into
      // the range.
      new Date(range.start.getTime() - (maxDurationMinutes + maxBufferMinutes) * minuteMs),
      new Date(range.end.getTime() + maxBufferMinutes * minuteMs),
      ...occupying,
      range.end,
      range.start,
      exceptAppointmentId,
      accountId,
      resourceId,
      tx.now,
      range.end,
      range.start,
      exceptAppointmentId,
      accountId,
      resourceId,
      range.start,
      range.end,
    ],
  );
  return rows.map(({ kind, ...row }) => ({ ...row, kind: occupiedKinds[Number(kind)] ?? "hold" }));
}

/**
 * Requires that no other appointment and no hold overlaps a time on a locked resource, buffers
 * included (rule C73).
 * @throws AppError `slot_taken`, whose details name the reason
 */
export async function requireFree(
  tx: Tx,
  resourceId: number,
  time: BookedTime,
  exceptAppointmentId?: number,
): Promise<void> {
  const range = { start: time.blockedFrom, end: time.blockedUntil };
  const meets = await listOccupied(tx, resourceId, range, exceptAppointmentId);
  if (meets.length === 0) return;
  const reason = takenReason(time, meets);
  throw new AppError("slot_taken", { message: takenTexts[reason], details: { reason } });
}

const takenTexts: Record<TakenReason, string> = {
  appointment: "Another appointment has this time. Choose another one.",
  buffer: "This time lies in the buffer before or after another appointment. Choose another one.",
  hold: "Another appointment is being moved to this time. Choose another one.",
  busy: "An event of the calendar takes this time. Choose another one.",
};

/** Booking rules that a booking may ignore. */
export interface BookingExceptions {
  /** The booking is wanted outside opening hours, or during a closure. */
  outsideHours?: boolean | undefined;
  /** The booking was agreed elsewhere, as in an external calendar, and may have begun. */
  allowPast?: boolean | undefined;
}

/**
 * Checks the conditions of a new booking, except that the time is free.
 * @throws AppError `past_time`, `outside_hours`, `resource_archived`; `validation_error` with
 * `invalid_length`.
 */
export async function requireBookable(
  tx: Tx,
  resource: Resource,
  { startTime, endTime }: BookedTime,
  { outsideHours = false, allowPast = false }: BookingExceptions,
): Promise<void> {
  const lengthMs = endTime.getTime() - startTime.getTime();
  if (lengthMs <= 0 || lengthMs > maxDurationMinutes * minuteMs) {
    const message = "An appointment ends after it begins, and within 24 hours.";
    throw invalidField("body.end_time", "invalid_length", message);
  }
  if (resource.archivedAt !== null) throw new AppError("resource_archived");
  if (!allowPast && startTime < tx.now) {
    throw new AppError("past_time");
  }
  const interval = { start: startTime, end: endTime };
  if (outsideHours) return;
  const opening = await loadOpeningHours(tx, resource, interval);
  if (isOpen(opening, interval)) return;
  const reason = opening.closures.length > 0 ? "closure" : "opening_hours";
  throw new AppError("outside_hours", { details: { reason } });
}
