import { DateTime } from "luxon";
import { weekdayNumbers } from "./basic/date-words.ts";
import type { Dialogue } from "./basic/dialogue.ts";
import { fold } from "./basic/text.ts";
import type { AgentContext, SlotChoice } from "./context.ts";
import { listFacts, type Fact } from "./guards/grounding.ts";

/** Free times that a reply offers to the customer. */
export interface SlotOfferOfReply {
  slots: SlotChoice[];
  /** The text has a line with the number of each slot already, in the same order. */
  isListed: boolean;
}

/** A reply that passed the guards. */
interface OfferingReply {
  text: string;
  /** Refs of the slots that a model marked, such as `S2`, in their order. */
  refs: readonly string[];
  /** Dialogue of the built-in agent; null for a model. */
  dialogue: Dialogue | null;
}

/**
 * Finds the free times that a reply offers. The built-in agent knows those that it shows. A model
 * marks them, or else the text names their days and times.
 * @returns null where the reply offers none, or where its own numbers do not fit them
 */
export function findSlotOffer(
  { text, refs, dialogue }: OfferingReply,
  context: AgentContext,
): SlotOfferOfReply | null {
  if (dialogue !== null) return offerOfDialogue(dialogue);
  const found = listFound(context);
  const zone = context.account.timeZone;
  const marked = refs.flatMap((ref) => {
    const slot =
      found.find((one) => one.ref === ref) ?? context.offers.find((one) => one.ref === ref);
    return slot === undefined ? [] : [toChoice(slot)];
  });
  const slots = marked.length > 0 ? marked : listNamed(text, found, context);
  if (slots.length === 0) return null;
  const lines = listNumberedLines(text);
  if (lines.length === 0) return { slots, isListed: false };
  const isListed = slots.every(({ startTime }, index) => {
    const clock = clockOf(DateTime.fromJSDate(startTime, { zone }));
    return listFacts(lines[index] ?? "").some(
      ({ kind, readings }) => kind === "time" && readings.includes(clock),
    );
  });
  return isListed && lines.length === slots.length ? { slots, isListed } : null;
}

function offerOfDialogue({ flow, asked, slots }: Dialogue): SlotOfferOfReply | null {
  const { shown = [], serviceId = null, appointmentId = null } = slots;
  if (asked !== "slot" || shown.length === 0) return null;
  const chosen = shown.map(({ start, resourceId }) => ({
    startTime: new Date(start),
    resourceId,
    serviceId,
    appointmentId: flow === "move" ? appointmentId : null,
  }));
  return { slots: chosen, isListed: true };
}

/** A free time that a tool found in this turn. */
interface FoundSlot extends SlotChoice {
  ref: string;
}

/** Free times that the tools of this turn found last, unless one of them was booked after that. */
function listFound({ rounds }: AgentContext): FoundSlot[] {
  let found: FoundSlot[] = [];
  for (const { tool, input, result } of rounds.flatMap(({ calls }) => calls)) {
    const slots = result.ok ? ("slots" in result ? result.slots : null) : (result.nearest ?? null);
    const isMade = result.ok && (tool === "book_appointment" || tool === "reschedule_appointment");
    if (isMade) found = [];
    if (slots === null) continue;
    const appointmentId = movedIn(input);
    found = slots.map(({ ref, start, service_id: serviceId, resource_id: resourceId }) => {
      return { ref, startTime: new Date(start), serviceId, resourceId, appointmentId };
    });
  }
  return found;
}

/** Id of the appointment that a call would move, or null. */
function movedIn(input: unknown): number | null {
  const isNamed = typeof input === "object" && input !== null && "appointment_id" in input;
  return isNamed && typeof input.appointment_id === "number" ? input.appointment_id : null;
}

function toChoice(slot: Omit<SlotChoice, "appointmentId"> & { appointmentId?: number | null }) {
  const { startTime, serviceId, resourceId, appointmentId = null } = slot;
  return { startTime, serviceId, resourceId, appointmentId };
}

/** A day that a text names. */
interface DayMention {
  start: number;
  end: number;
  fits: (local: DateTime) => boolean;
}

/** Slots whose times the text names, in the order of the text. A time goes with the day near it. */
function listNamed(text: string, found: readonly FoundSlot[], context: AgentContext): SlotChoice[] {
  if (found.length === 0) return [];
  const zone = context.account.timeZone;
  const local = (slot: FoundSlot) => DateTime.fromJSDate(slot.startTime, { zone });
  const inOrder = found.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
  const facts = listFacts(text).toSorted((a, b) => a.start - b.start);
  const days = listDays(text, facts, DateTime.fromJSDate(context.now, { zone }));
  const named = facts.flatMap((time) => {
    if (time.kind !== "time") return [];
    const day = dayOf(time, days, text);
    const slot = inOrder.find((one) => {
      const at = local(one);
      return time.readings.includes(clockOf(at)) && (day === null || day.fits(at));
    });
    return slot === undefined ? [] : [slot];
  });
  return [...new Set(named)].map(toChoice);
}

const clockOf = ({ hour, minute }: DateTime) => `${hour}:${String(minute).padStart(2, "0")}`;

const dayWords =
  /(?<![\p{L}])(?:pasado mañana|(?<!(?:la|esta) )mañana|hoy|today|tomorrow|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?![\p{L}])/giu;
const daysAhead = new Map([
  ["hoy", 0],
  ["today", 0],
  ["manana", 1],
  ["tomorrow", 1],
  ["pasado manana", 2],
]);

function listDays(text: string, facts: readonly Fact[], now: DateTime): DayMention[] {
  const dates = facts
    .filter(({ kind }) => kind === "date")
    .map(({ start, end, readings }): DayMention => {
      return { start, end, fits: ({ month, day }) => readings.includes(`${month}-${day}`) };
    });
  const words = [...text.matchAll(dayWords)].map(({ 0: shown, index: start }): DayMention => {
    const word = fold(shown);
    const ahead = daysAhead.get(word);
    const place = { start, end: start + shown.length };
    if (ahead === undefined)
      return { ...place, fits: ({ weekday }) => weekday === weekdayNumbers.get(word) };
    const day = now.plus({ days: ahead });
    return { ...place, fits: (one) => one.hasSame(day, "day") };
  });
  return [...dates, ...words].toSorted((a, b) => a.start - b.start);
}

/** Words between a time and its day: `4:00 PM on Friday`, `a las 16:00 del viernes`. */
const joint = /^\s*(?:(?:on|of|this|next|el|del|de|este|the)\s+)*$/iu;

/** The day of a time: the one right behind it, else the one before it, else the next one. */
function dayOf(time: Fact, days: readonly DayMention[], text: string): DayMention | null {
  const next = days.find(({ start }) => start >= time.end);
  if (next !== undefined && joint.test(text.slice(time.end, next.start))) return next;
  return days.findLast(({ start }) => start < time.start) ?? next ?? null;
}

/** Texts of the lines `1. …`, `2. …` of a text, or `[""]` where their numbers do not count up. */
function listNumberedLines(text: string): string[] {
  const lines = [...text.matchAll(/^\s*(\d{1,2})[.)]\s+(.+)$/gmu)];
  const isCount = lines.every(([, number], index) => Number(number) === index + 1);
  return isCount ? lines.map(([, , line = ""]) => line) : [""];
}
