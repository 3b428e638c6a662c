import { occupiesTime } from "../../../../core/model/appointment.ts";
import type { Appointment } from "../../lib/appointments.ts";
import type { OpeningTimes, WantedMove } from "./api.ts";
import { timeRangesOf, type TimeRange } from "./time-ranges.ts";

/** A day of one agenda, as the calendar shows it. */
export interface Column {
  /** `2026-11-24` */
  date: string;
  resourceId: number;
  label: string;
  isToday: boolean;
}

/** Where an appointment is shown: one that is being moved, where it is to go. */
export interface Block {
  appointment: Appointment;
  start_time: string;
  end_time: string;
  resource_id: number;
  moving: boolean;
}

/** Where each appointment is shown while `wanted` moves, and those that others asked for, are under way. */
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

/** The hours that a calendar shows: all that is open, booked or a buffer on its days, and no less than ten. */
export function hoursShown(stretches: TimeRange[]): { first: number; last: number } {
  const first = Math.floor(Math.min(9 * 60, ...stretches.map(({ from }) => from)) / 60);
  const last = Math.ceil(Math.max(17 * 60, ...stretches.map(({ to }) => to)) / 60);
  return { first: Math.min(first, 8), last: Math.max(last, 18) };
}

/** When an agenda is open on a day, and when it is closed on purpose. */
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

/** The times that stay free around the appointments of a day, since nobody else can have them. */
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
