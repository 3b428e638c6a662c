import { occupiesTime, type AppointmentStatus } from "../../../../core/model/appointment.ts";
import type { Appointment, Resource } from "../../lib/appointments.ts";
import { hueOf, type Hue } from "../../lib/hues.ts";
import type { OpeningTimes, WantedMove } from "./api.ts";
import { overlapsIn } from "./overlaps.ts";
import { timeRangesOf, type TimeRange } from "./time-ranges.ts";

/** An agenda in the calendar; an archived one has no more than this. */
export type Agenda = Pick<Resource, "id" | "name">;

/** A day in the calendar, of one agenda or of several. */
export interface Column {
  /** `2026-11-24` */
  date: string;
  agendas: Agenda[];
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
  /** True beside another appointment of the agenda at the same time. */
  overlaps: boolean;
  hue: Hue;
}

type Place = Omit<Block, "appointment" | "moving" | "overlaps" | "hue">;

/**
 * Places of all appointments. Running moves count, those in `wanted` and those of others.
 * @param colour origin of the colour
 */
export function blocksOf(
  appointments: Appointment[],
  wanted: WantedMove[],
  colour: "service" | "agenda",
): Block[] {
  const blocks = appointments.map((appointment) => {
    const own = wanted.find((move) => move.appointment.id === appointment.id);
    const next = own === undefined ? appointment.reschedule : placeAfter(own);
    const { start_time, end_time, resource_id } = next ?? appointment;
    const hue = colour === "agenda" ? hueOf(resource_id) : appointment.service_hue;
    return { appointment, start_time, end_time, resource_id, hue, moving: next !== null };
  });
  const overlapping = overlapsIn(blocks);
  return blocks.map((one) => ({ ...one, overlaps: overlapping.has(one.appointment.id) }));
}

/** Place of an appointment after a move. */
function placeAfter({ appointment, start_time, resource_id }: WantedMove): Place {
  const lengthMs = Date.parse(appointment.end_time) - Date.parse(appointment.start_time);
  const end_time = new Date(Date.parse(start_time) + lengthMs).toISOString();
  return { start_time, end_time, resource_id };
}

/** @returns true for an appointment that is neither cancelled nor replaced. */
export function takesPlace(status: AppointmentStatus): boolean {
  return status !== "cancelled" && status !== "rescheduled";
}

/** The blocks of a column's agendas. */
export function blocksIn(blocks: Block[], { agendas }: Column): Block[] {
  return blocks.filter(({ resource_id }) => agendas.some(({ id }) => id === resource_id));
}

/** The appointments of a column that take place on its day. */
export function countIn(blocks: Block[], column: Column, timeZone: string): number {
  const own = blocksIn(blocks, column).filter(({ appointment }) => takesPlace(appointment.status));
  return timeRangesOf(own, column.date, timeZone).length;
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

/** The hour at which the calendar opens where no agenda has a morning. */
const usualHour = 8;

/**
 * The full hour before the earliest opening. An opening from midnight goes on from the day before, so
 * it does not count. @returns null while no opening time is known.
 */
export function firstWorkingHour(open: TimeRange[]): number | null {
  if (open.length === 0) return null;
  const mornings = open.filter(({ from }) => from > 0).map(({ from }) => from);
  return mornings.length === 0 ? usualHour : Math.floor(Math.min(...mornings) / 60);
}

/**
 * Opening hours, closures and busy times of a column's agendas.
 * @param openings null while they are unknown
 */
export function openingOf(
  openings: OpeningTimes[] | null,
  { agendas, date }: Column,
  timeZone: string,
) {
  const own = (openings ?? []).filter(({ resource_id }) =>
    agendas.some(({ id }) => id === resource_id),
  );
  const open = own.flatMap(({ resource_id, open: times }) =>
    times.map((time) => ({ ...time, resource_id })),
  );
  const closures = own.flatMap((one) => one.closures);
  const busy = own.flatMap(({ resource_id, busy: times }) =>
    times.map((time) => ({ ...time, resource_id })),
  );
  return {
    isKnown: openings !== null,
    open: timeRangesOf(open, date, timeZone),
    closures: timeRangesOf(closures, date, timeZone),
    busy: timeRangesOf(busy, date, timeZone),
  };
}

/** The buffers before and after appointments of a day. Buffers cannot be booked. */
export function buffersOf(places: Block[], date: string, timeZone: string) {
  const buffers = places.flatMap(({ appointment, start_time, end_time, resource_id, hue }) => {
    const { id, status, customer_name: name } = appointment;
    if (!occupiesTime(status)) return [];
    const { buffer_before_minutes: before, buffer_after_minutes: after } = appointment;
    const known = { id, name, resource_id, hue };
    const start = shifted(start_time, -before);
    const end = shifted(end_time, after);
    return [
      { ...known, key: `${id} before`, start_time: start, end_time: start_time },
      { ...known, key: `${id} after`, start_time: end_time, end_time: end },
    ];
  });
  return timeRangesOf(buffers, date, timeZone);
}

function shifted(moment: string, minutes: number): string {
  return new Date(Date.parse(moment) + minutes * 60_000).toISOString();
}

/** A free time of an agenda on a day. */
export interface FreeTime extends TimeRange {
  agenda: Agenda;
}

/** A booking by click starts at a multiple, and gets this length where it is free. */
const startMinutes = 15;
const lengthMinutes = 30;

/**
 * The free time at a point of a column, of the first agenda that is open and free there.
 * @param first minutes of the day before which everything is past
 * @returns null where no agenda is free for a quarter of an hour.
 */
export function freeTimeAt(
  minutes: number,
  given: { column: Column; opening: ReturnType<typeof openingOf>; blocks: Block[] },
  { first, timeZone }: { first: number; timeZone: string },
): FreeTime | null {
  const { column, opening, blocks } = given;
  const { date } = column;
  const occupied = blocks.filter(({ appointment }) => occupiesTime(appointment.status));
  const busy = [
    ...timeRangesOf(occupied, date, timeZone),
    ...buffersOf(blocks, date, timeZone),
    ...opening.busy,
  ];
  const step = Math.floor(minutes / startMinutes) * startMinutes;
  for (const agenda of column.agendas) {
    const isOwn = ({ resource_id }: { resource_id: number }) => resource_id === agenda.id;
    const taken = busy.filter(isOwn);
    // A buffer may end between two steps.
    const from = Math.max(step, ...taken.map(({ to }) => to).filter((to) => to <= minutes));
    const span = opening.open.find((one) => isOwn(one) && one.from <= from && from < one.to);
    const ends = taken.filter(({ to }) => to > from).map((one) => one.from);
    const to = Math.min(from + lengthMinutes, span?.to ?? 0, ...ends);
    if (from >= first && to - from >= startMinutes) return { agenda, from, to };
  }
  return null;
}

/** An appointment that is being dragged. */
export interface Dragged {
  appointment: Appointment;
  /** Distance from its start to the pointer. */
  grabbedMinutes: number;
  /** Part of the distance that is on an earlier day than the part that was taken. */
  hiddenMinutes: number;
}
