import { minuteMs } from "../../model/durations.ts";
import type { SlotChoice } from "../context.ts";
import type { OfferedSlot } from "../tools.ts";
import type { FlowSlots, ShownSlot } from "./dialogue.ts";
import { isOneOf } from "./date-mentions.ts";
import { hasDates, type TimeReading } from "./dates.ts";
import type { Reading } from "./reading.ts";
import {
  ask,
  callTool,
  handOff,
  localOf,
  textsOf,
  todayOf,
  wordsOfClock,
  wordsOfDay,
  wordsOfSlot,
  type FlowRun,
  type FlowTurn,
  type Said,
} from "./flow-turn.ts";
import { joinWords, onlyOf } from "./text.ts";

const maxShown = 3;

/** True where the burst asks for other times than the offered ones. */
export function wantsOthers({ words }: Reading): boolean {
  return words.some(({ text }) =>
    isOneOf(text, "otro otra otros otras mas antes other others another else later earlier"),
  );
}

/** Takes wanted days and times of the burst into the slots. A new day drops the chosen time. */
export function takeDates(turn: FlowTurn, slots: FlowSlots): FlowSlots {
  const { dates } = turn.reading;
  const half = turn.asked === "half" ? chooseHalf(turn, slots) : null;
  if (half !== null) return { ...without(slots, ["choices", "chosen"]), time: half };
  if (!hasDates(dates)) return slots;
  let next = without(slots, ["chosen", "shown", "choices"]);
  if (dates.days !== null) {
    next = { ...without(next, ["to", "excluded"]), from: dates.days.from };
    if (dates.days.to !== null) next.to = dates.days.to;
  }
  if (dates.excluded.length > 0) {
    next.excluded = [...new Set([...(next.excluded ?? []), ...dates.excluded])].slice(0, 31);
    const isOnlyDay = next.from === next.to && next.excluded.includes(next.from ?? "");
    if (isOnlyDay) next = without(next, ["from", "to"]);
  }
  if (dates.part !== null)
    next = { ...without(next, ["time", "after", "until"]), part: dates.part };
  if (dates.window !== null) {
    next = { ...without(next, ["time", "part"]), after: dates.window.from, until: dates.window.to };
  }
  if (dates.time !== null)
    next = { ...without(next, ["part", "after", "until"]), time: dates.time };
  if (dates.question?.about === "time") {
    next = {
      ...without(next, ["time", "part", "after", "until"]),
      choices: dates.question.choices,
    };
  }
  return next;
}

export function without(slots: FlowSlots, names: readonly (keyof FlowSlots)[]): FlowSlots {
  const next = { ...slots };
  for (const name of names) delete next[name];
  return next;
}

/** The time that the customer means of those that the words allowed. */
function chooseHalf({ reading }: FlowTurn, { choices = [] }: FlowSlots): string | null {
  const { choice, dates, words } = reading;
  if (dates.days !== null) return null;
  if (dates.time !== null) return choices.includes(dates.time) ? dates.time : null;
  if (choice !== null) return choices.at(choice > 0 ? choice - 1 : -1) ?? null;
  const said = (text: string) => words.some((word) => word.text === text);
  if (dates.part === "morning" || said("am")) return choices.find((time) => time < "12:00") ?? null;
  if (dates.part !== null || said("pm")) return choices.find((time) => time >= "12:00") ?? null;
  return null;
}

/** The question that the wanted days leave open; null where they are clear. */
export function askOpenDates(turn: FlowTurn, slots: FlowSlots): Said | null {
  const t = textsOf(turn);
  const { question } = turn.reading.dates;
  if (question?.about === "day") {
    const days = question.choices.map((day) => wordsOfDay(turn, day));
    return ask(turn, "day", days.length === 0 ? t.noSuchDay : t.whichDay(days), {
      ...slots,
      choices: question.choices,
    });
  }
  const last = slots.to ?? slots.from;
  if (
    slots.from !== undefined &&
    last !== undefined &&
    slots.to !== undefined &&
    last < todayOf(turn)
  ) {
    return ask(turn, "day", t.pastDay, without(slots, ["from", "to"]));
  }
  return null;
}

/** The day that the customer chose of those that the words allowed. */
export function takeChosenDay(turn: FlowTurn, slots: FlowSlots): FlowSlots {
  const { choice, dates } = turn.reading;
  const { choices = [] } = slots;
  if (turn.asked !== "day" || choices.length === 0) return slots;
  const day = choice === null ? undefined : choices.at(choice > 0 ? choice - 1 : -1);
  const rest = without(slots, ["choices"]);
  const isDay = day !== undefined && day.length === 10 && dates.days === null;
  return isDay || (day !== undefined && choice !== null && choice <= 2)
    ? { ...rest, from: day, to: day }
    : rest;
}

/** The shown time that the burst chooses, or those that fit it. */
export function pickShown(turn: FlowTurn, { shown = [] }: FlowSlots): readonly ShownSlot[] {
  const { choice, dates, isAny, answer, resources } = turn.reading;
  if (shown.length === 0 || turn.asked !== "slot") return [];
  const byNumber = choice === null ? undefined : shown.at(choice > 0 ? choice - 1 : -1);
  if (byNumber !== undefined && (choice ?? 0) <= shown.length) return [byNumber];
  if (!hasDates(dates)) {
    const ids = new Set(resources.map(({ id }) => id));
    const named = shown.filter(({ resourceId }) => ids.has(resourceId));
    if (ids.size > 0) return named;
    if (isAny || (answer === true && shown.length === 1)) return shown.slice(0, 1);
    return [];
  }
  if (dates.named !== null && dates.days === null) return [];
  return shown.filter((slot) => fitsDates(turn, slot, dates));
}

function fitsDates(turn: FlowTurn, slot: ShownSlot, dates: TimeReading): boolean {
  const { day, time } = localOf(turn, slot.start);
  const { days, excluded, part, window, question } = dates;
  if (excluded.includes(day)) return false;
  if (days !== null && (day < days.from || (days.to !== null && day > days.to))) return false;
  if (dates.time !== null && dates.time !== time) return false;
  if (question?.about === "day") return false;
  if (question?.about === "time" && !question.choices.includes(time)) return false;
  if (window !== null && (time < window.from || time >= window.to)) return false;
  return part === null || fitsPart(part, time);
}

function fitsPart(part: string, time: string): boolean {
  if (part === "morning") return time < "12:00";
  return part === "afternoon" ? time >= "12:00" && time < "19:00" : time >= "18:00";
}

/** Ids that a search of free times needs. */
export interface SearchTarget {
  service_id?: number;
  resource_id?: number;
  appointment_id?: number;
}

/**
 * Looks for free times. @returns the slots with the time that the customer named, where it is free;
 * else a reply that offers others.
 */
export function* searchTimes(
  turn: FlowTurn,
  slots: FlowSlots,
  target: SearchTarget,
): FlowRun<Said | FlowSlots> {
  const { time } = slots;
  const fitting = yield* listFitting(turn, slots, target);
  if ("say" in fitting) return fitting;
  const exact = fitting.filter(({ start }) => localOf(turn, start).time === time);
  const days = new Set(exact.map(({ start }) => localOf(turn, start).day));
  const [only] = exact;
  if (only !== undefined && days.size === 1) return choose(turn, slots, toShown(only));
  if (exact.length > 0) return show(turn, slots, exact, "offer");
  if (fitting.length > 0)
    return show(turn, slots, fitting, time === undefined ? "offer" : "offerNear");
  return yield* searchNear(turn, slots, target);
}

/** Free times as the customer wants them, or a reply where the search is refused. */
function* listFitting(
  turn: FlowTurn,
  { from, to, part, time, after, until, excluded }: FlowSlots,
  target: SearchTarget,
): FlowRun<Said | OfferedSlot[]> {
  const wanted = time ?? after ?? until;
  const result = yield* callTool(turn, "find_slots", {
    ...target,
    ...(from === undefined ? {} : { from_day: from }),
    ...(to === undefined ? {} : { to_day: to }),
    ...(part === undefined ? {} : { part }),
    ...(wanted === undefined ? {} : { time: wanted }),
    ...(after === undefined ? {} : { after }),
    // A window without an end ends at 24:00, which is no clock time.
    ...(until === undefined || until === "24:00" ? {} : { until }),
    ...(excluded === undefined ? {} : { excluded_days: excluded }),
  });
  return result.ok ? result.slots : yield* handOff(turn, "refused");
}

/**
 * The offered slot that the customer chose, where it is still free.
 * @param slots the other values of the flow
 * @returns the slots with the chosen time; else a reply that offers the nearest ones
 */
export function* reachOffered(
  turn: FlowTurn,
  slots: FlowSlots,
  { startTime, resourceId }: SlotChoice,
  target: SearchTarget,
): FlowRun<Said | FlowSlots> {
  const chosen = { start: startTime.toISOString(), resourceId };
  return yield* searchTimes(turn, without(choose(turn, slots, chosen), ["chosen"]), target);
}

/** Times on later days, where the wanted ones are full: like the wanted ones, or else any. */
function* searchNear(turn: FlowTurn, slots: FlowSlots, target: SearchTarget): FlowRun {
  const t = textsOf(turn);
  const alike = yield* listFitting(turn, without(slots, ["to", "time"]), target);
  if ("say" in alike) return alike;
  const any = without(slots, ["to", "time", "part", "after", "until"]);
  const shown = alike.length > 0 ? alike : yield* listFitting(turn, any, target);
  if ("say" in shown) return shown;
  if (shown.length > 0) return show(turn, slots, shown, "offerNear");
  return ask(turn, "day", t.noSlots, without(slots, ["from", "to", "excluded", "part", "time"]));
}

const toShown = ({ start, resource_id: resourceId }: OfferedSlot): ShownSlot => ({
  start,
  resourceId,
});

/** The slots with a chosen time. Its day and clock stay, should only one of them change later. */
export function choose(turn: FlowTurn, slots: FlowSlots, chosen: ShownSlot): FlowSlots {
  const { day, time } = localOf(turn, chosen.start);
  return {
    ...without(slots, ["shown", "choices", "part", "after", "until"]),
    from: day,
    to: day,
    time,
    chosen,
  };
}

/** Offers up to three times in their order. */
export function show(
  turn: FlowTurn,
  slots: FlowSlots,
  offered: readonly OfferedSlot[],
  how: "offer" | "offerNear" | "taken" | "outsideHours",
): Said {
  const shown = offered
    .slice(0, maxShown)
    .map(toShown)
    .toSorted((one, other) => (one.start < other.start ? -1 : 1));
  return showAgain(turn, { ...without(slots, ["chosen", "choices"]), shown }, how);
}

export function showAgain(
  turn: FlowTurn,
  slots: FlowSlots,
  how: "offer" | "offerNear" | "taken" | "outsideHours" = "offer",
): Said {
  const words = (slots.shown ?? []).map((slot) => wordsOfSlot(turn, slot));
  return ask(turn, "slot", textsOf(turn)[how](words), slots);
}

/**
 * "¿Hay algo más tarde?": times of the shown day after the last shown one, or before the first. Null
 * where the burst does not ask so, or no such time is free.
 */
function* offerBeyond(
  turn: FlowTurn,
  slots: FlowSlots,
  target: SearchTarget,
): FlowRun<Said | null> {
  const text = joinWords(turn.reading.words);
  // "Lo checo más tarde" and "antes de elegir" ask for no other time.
  if (/\b(?:checo|veo|reviso|aviso|digo|escribo|llamo|ill|antes de|antes que)\b/u.test(text))
    return null;
  const isLater = /\b(?:mas tarde|later)\b/u.test(text);
  const isEarlier = /\b(?:mas temprano|antes|earlier)\b/u.test(text);
  const edge = isLater ? slots.shown?.at(-1) : slots.shown?.[0];
  if (edge === undefined || isLater === isEarlier) return null;
  const { day, time } = localOf(turn, edge.start);
  const next = new Date(new Date(edge.start).getTime() + minuteMs);
  const bounds = isLater ? { after: localOf(turn, next).time } : { until: time };
  const rest = without(slots, ["shown", "choices", "part", "time", "after", "until"]);
  const onDay = { ...rest, from: day, to: day };
  const found = yield* listFitting(turn, { ...onDay, ...bounds }, target);
  if ("say" in found) return found;
  return found.length === 0 ? null : show(turn, onDay, found, "offer");
}

/** The time that the customer wants: chosen already, or searched for. */
export function* reachTime(
  turn: FlowTurn,
  slots: FlowSlots,
  target: SearchTarget,
): FlowRun<Said | FlowSlots> {
  const t = textsOf(turn);
  const picked = pickShown(turn, turn.slots);
  const only = onlyOf(picked);
  if (only !== null) return choose(turn, turn.slots, only);
  if (picked.length > 1) return showAgain(turn, { ...turn.slots, shown: [...picked] });
  if (slots.chosen !== undefined) return slots;
  if (turn.asked === "slot" && !hasDates(turn.reading.dates)) {
    const later = yield* offerBeyond(turn, slots, target);
    if (later !== null) return later;
    const isRefused = turn.reading.answer === false || wantsOthers(turn.reading);
    if (isRefused)
      return ask(turn, "day", t.askOtherDay, without(slots, ["shown", "from", "to", "time"]));
  }
  const open = askOpenDates(turn, slots);
  if (open !== null) return open;
  if (slots.choices !== undefined && slots.time === undefined) {
    const times = slots.choices.map((time) => wordsOfClock(turn, time));
    return ask(turn, "half", t.whichTime(times), slots);
  }
  if (slots.from === undefined) return ask(turn, "day", t.askDay, slots);
  return yield* searchTimes(turn, slots, target);
}

/** A time that the service refused: the nearest ones instead. */
export function* afterRefusal(
  turn: FlowTurn,
  slots: FlowSlots,
  result: { code: string; nearest?: OfferedSlot[] },
): FlowRun {
  const t = textsOf(turn);
  const nearest = result.nearest ?? [];
  const isTime = ["slot_taken", "outside_hours", "past_time", "conflict"].includes(result.code);
  if (!isTime) return yield* handOff(turn, "refused");
  if (nearest.length === 0) {
    return ask(turn, "day", t.noSlots, without(slots, ["chosen", "from", "to", "time"]));
  }
  return show(turn, slots, nearest, result.code === "outside_hours" ? "outsideHours" : "taken");
}
