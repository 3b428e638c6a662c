import { minutesOfDay } from "../model/schedule.ts";
import type { ToolInput } from "./tools.ts";

/** A free time with its day and clock time in the account's zone. */
export interface LocalSlot {
  startTime: Date;
  resourceId: number;
  /** `2026-11-24` */
  day: string;
  /** Minutes since midnight by the clock. */
  minutes: number;
}

/** Days over which a choice is spread. */
const spreadDays = 3;

/** Minutes of the day in which each part of it begins and ends. */
const parts = {
  morning: { from: 0, to: 12 * 60 },
  afternoon: { from: 12 * 60, to: 19 * 60 },
  evening: { from: 18 * 60, to: 24 * 60 },
};

/**
 * True for a time that `find_slots` may offer. A choice comes after it: times that the choice has
 * left out would be missing.
 */
export function fitsSearch(
  { day, minutes }: LocalSlot,
  { part, after, until, excluded_days: excluded = [] }: ToolInput<"find_slots">,
): boolean {
  if (excluded.includes(day)) return false;
  if (after !== undefined && minutes < minutesOfDay(after)) return false;
  if (until !== undefined && minutes >= minutesOfDay(until)) return false;
  return part === undefined || (minutes >= parts[part].from && minutes < parts[part].to);
}

/** The clock time around which times are offered, in minutes since midnight; null: any. */
interface WantedClock {
  wanted: number | null;
  /** The wanted times begin or end there, as in "after 5". Any time beyond it is as right. */
  isBound?: boolean;
}

/** The wanted clock time of a search. */
export function wantedClockOf({ time, after, until }: ToolInput<"find_slots">): WantedClock {
  if (time === undefined) return { wanted: null };
  return { wanted: minutesOfDay(time), isBound: time === after || time === until };
}

/**
 * Chooses up to `max` times to offer, no time twice. Without a wanted time they are spread over the
 * day and stand in order. Else the nearest come first, and days that have exactly it take part
 * before others. Of a bound, the nearest time of each day comes first, in the order of days.
 * Agendas take turns.
 * @param slots in order of time.
 */
export function chooseSlots(
  slots: readonly LocalSlot[],
  { max, wanted, isBound = false }: WantedClock & { max: number },
): LocalSlot[] {
  const all = groupsOf(slots, ({ day }) => day);
  const days = isBound ? all : preferExact(all, wanted);
  const perDay = Math.ceil(max / Math.max(1, Math.min(days.length, spreadDays)));
  const uses = new Map<number, number>();
  const distance = ({ minutes }: LocalSlot) => (wanted === null ? 0 : Math.abs(minutes - wanted));
  const chosen: { slot: LocalSlot; rank: number }[] = [];
  for (const day of days) {
    const room = Math.min(perDay, max - chosen.length);
    const picked = chooseTimes(day, room, wanted).map((atOnce) => pickLeastUsed(atOnce, uses));
    const nearest = picked.toSorted((one, other) => distance(one) - distance(other));
    for (const [place, slot] of nearest.entries())
      chosen.push({ slot, rank: isBound ? place : distance(slot) });
  }
  return chosen
    .toSorted((one, other) => one.rank - other.rank || inOrder(one.slot, other.slot))
    .map(({ slot }) => slot);
}

/** Free times for a move: where the own agenda is free, no other one is offered. */
export function preferAgenda(slots: readonly LocalSlot[], resourceId: number): LocalSlot[] {
  const own = new Set(
    slots.filter((slot) => slot.resourceId === resourceId).map((slot) => slot.startTime.getTime()),
  );
  return slots.filter(
    (slot) => slot.resourceId === resourceId || !own.has(slot.startTime.getTime()),
  );
}

/** Days that have exactly the wanted time stand before the others. */
function preferExact(days: readonly LocalSlot[][], wanted: number | null): LocalSlot[][] {
  const isExact = (day: readonly LocalSlot[]) => day.some(({ minutes }) => minutes === wanted);
  return [...days.filter(isExact), ...days.filter((day) => !isExact(day))];
}

/** Up to `room` times of a day, each with the slots that begin then. */
function chooseTimes(
  day: readonly LocalSlot[],
  room: number,
  wanted: number | null,
): LocalSlot[][] {
  const times = groupsOf(day, ({ startTime }) => startTime.getTime());
  if (times.length <= room) return times;
  if (wanted === null) {
    return Array.from({ length: room }, (_, index) => {
      return times[Math.floor((index * times.length) / room)];
    }).filter((slots) => slots !== undefined);
  }
  const distance = ([slot]: LocalSlot[]) => Math.abs((slot?.minutes ?? 0) - wanted);
  return times.toSorted((one, other) => distance(one) - distance(other)).slice(0, room);
}

function pickLeastUsed(slots: readonly LocalSlot[], uses: Map<number, number>): LocalSlot {
  const used = ({ resourceId }: LocalSlot) => uses.get(resourceId) ?? 0;
  const picked = slots.reduce((best, slot) => (used(slot) < used(best) ? slot : best));
  uses.set(picked.resourceId, used(picked) + 1);
  return picked;
}

function groupsOf<Key>(
  slots: readonly LocalSlot[],
  keyOf: (slot: LocalSlot) => Key,
): LocalSlot[][] {
  const groups = new Map<Key, LocalSlot[]>();
  for (const slot of slots) {
    const group = groups.get(keyOf(slot));
    if (group === undefined) groups.set(keyOf(slot), [slot]);
    else group.push(slot);
  }
  return [...groups.values()];
}

function inOrder(one: LocalSlot, other: LocalSlot): number {
  return one.startTime.getTime() - other.startTime.getTime() || one.resourceId - other.resourceId;
}
