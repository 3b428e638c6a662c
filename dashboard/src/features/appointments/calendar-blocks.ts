import { occupiesTime } from "../../../../core/model/appointment.ts";
import type { Appointment } from "../../lib/appointments.ts";
import type { OpeningTimes, WantedMove } from "./api.ts";
import { timeRangesOf, type TimeRange } from "./time-ranges.ts";

/** A day of one agenda in the calendar. */
export interface Column {
  /** `2026-11-24` */
  date: string;
  resourceId: number;
  label: string;
  isToday: boolean;
}

/** An appointment at its place in the calendar. During a move it appears at its new place. */
export interface Block {
  appointment: Appointment;
  start_time: string;
  end_time: string;
  resource_id: number;
  moving: boolean;
}

/** Places of all appointments. Running moves count, those in `wanted` and those of others. */
export function blocksOf(appointments: Appointment[], wanted: WantedMove[]): Block[] {
  return appointments.map((appointment) => {
    const { id, start_time, end_time, resource_id, reschedule } = appointment;
    const own = wanted.find((move) => move.appointment.id === id);
    if (own !== undefined) {
      const lengthMs = Date.parse(end_time) - Date.parse(start_time);
      const end = new Date(Date.parse(own.start_time) + lengthMs).toISOString();
      const { start_time: start, resource_id: resource } = own;
      return { appointment, start_time: start, end_time: end, resource_id: resource, moving: true };
    }
    if (reschedule !== null) return { appointment, ...timeOf(reschedule), moving: true };
    return { appointment, ...timeOf({ start_time, end_time, resource_id }), moving: false };
  });
}

/**
 * Full hours that the calendar shows: at least 8 to 18, and everything that is open, booked or a
 * buffer.
 */
export function hoursShown(stretches: TimeRange[]): { first: number; last: number } {
  const first = Math.floor(Math.min(9 * 60, ...stretches.map(({ from }) => from)) / 60);
  const last = Math.ceil(Math.max(17 * 60, ...stretches.map(({ to }) => to)) / 60);
  return { first: Math.min(first, 8), last: Math.max(last, 18) };
}

/** Opening hours and closures of an agenda on a day. */
export function openingOf(
  openings: OpeningTimes[],
  { resourceId, date }: Column,
  timeZone: string,
) {
  const own = openings.find(({ resource_id: id }) => id === resourceId);
  return {
    open: timeRangesOf(own?.open ?? [], date, timeZone),
    closures: timeRangesOf(own?.closures ?? [], date, timeZone),
  };
}

function timeOf({ start_time, end_time, resource_id }: Omit<Block, "appointment" | "moving">) {
  return { start_time, end_time, resource_id };
}

/** The buffers before and after appointments of a day. Buffers cannot be booked. */
export function buffersOf(places: Block[], date: string, timeZone: string) {
  const buffers = places.flatMap(({ appointment, start_time, end_time }) => {
    const { id, status, customer_name: name } = appointment;
    if (!occupiesTime(status)) return [];
    const { buffer_before_minutes: before, buffer_after_minutes: after } = appointment;
    return [
      { key: `${id} before`, name, start_time: shifted(start_time, -before), end_time: start_time },
      { key: `${id} after`, name, start_time: end_time, end_time: shifted(end_time, after) },
    ];
  });
  return timeRangesOf(buffers, date, timeZone);
}

function shifted(moment: string, minutes: number): string {
  return new Date(Date.parse(moment) + minutes * 60_000).toISOString();
}

/**
 * An appointment that is being dragged, and the distance in minutes from its start to the pointer.
 */
export interface Dragged {
  appointment: Appointment;
  grabbedMinutes: number;
}
