import { DateTime } from "luxon";
import type { AgentContext, ContextAppointment } from "../context.ts";
import type { ToolCall, ToolInput, ToolName, ToolResult } from "../tools.ts";
import { wordsOfTime } from "../words.ts";
import type { Asked, Flow, FlowSlots, ShownSlot } from "./dialogue.ts";
import type { Reading } from "./reading.ts";
import { handoffReasons, texts, type HandoffReason } from "./texts.ts";

/**
 * A turn under way. Flows are generators: each yields the call that it needs, and the next step of
 * the turn runs the flow again, with the result at hand.
 */
export interface FlowTurn {
  context: AgentContext;
  reading: Reading;
  /** Wishes that the dialogue had before this burst. */
  asked: Asked | null;
  misses: number;
  slots: FlowSlots;
  flow: Flow | null;
}

/** The end of a flow's turn. */
export interface Said {
  say: string;
  flow: Flow | null;
  slots: FlowSlots;
  asked: Asked | null;
  /** True where the burst said nothing that the flow could use. */
  isMiss: boolean;
}

export type FlowRun<Result = Said> = Generator<ToolCall, Result, void>;

/** A reply that keeps the flow open with a question. */
export function ask(
  turn: FlowTurn,
  asked: Asked,
  say: string,
  slots: FlowSlots = turn.slots,
): Said {
  return { say, flow: turn.flow, slots, asked, isMiss: false };
}

/** A reply that ends the flow. */
export function close(say: string): Said {
  return { say, flow: null, slots: {}, asked: null, isMiss: false };
}

export const textsOf = ({ reading }: FlowTurn) => texts[reading.language];

/** The result of a call: of an earlier step of this turn, or of the call that it yields. */
export function* callTool<Name extends ToolName>(
  { context }: FlowTurn,
  tool: Name,
  input: ToolInput<Name>,
): FlowRun<ToolResult<Name>> {
  const wanted = toKey(input);
  for (const { calls } of context.rounds) {
    const made = calls.find((call) => call.tool === tool && toKey(call.input) === wanted);
    if (made !== undefined) return made.result as ToolResult<Name>;
  }
  yield { callId: `basic-${context.rounds.length + 1}`, tool, input };
  throw new Error("A step ends with its call.");
}

/** JSON with sorted names: a stored input comes back in another order. */
function toKey(input: unknown): string {
  const entries = Object.entries((input ?? {}) as Record<string, unknown>);
  return JSON.stringify(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

export function* handOff(turn: FlowTurn, reason: HandoffReason): FlowRun {
  const { context } = turn;
  if (context.tools.includes("hand_off")) {
    const text = handoffReasons[context.account.locale][reason];
    yield* callTool(turn, "hand_off", { reason: text });
  }
  return close(textsOf(turn).handedOff);
}

/** Weekday, date, time and agenda of a time, as tools and confirmations say them. */
export function wordsOfSlot(
  { context, reading }: FlowTurn,
  { start, resourceId }: ShownSlot,
): string {
  const resource = context.resources.find(({ id }) => id === resourceId);
  return wordsOfTime({
    startTime: new Date(start),
    resourceName: resource?.name ?? "",
    language: reading.language,
    timeZone: context.account.timeZone,
  });
}

export function wordsOfAppointment(turn: FlowTurn, appointment: ContextAppointment): string {
  const { startTime, resourceId, serviceId } = appointment;
  const time = wordsOfSlot(turn, { start: startTime.toISOString(), resourceId });
  const service = turn.context.services.find(({ id }) => id === serviceId);
  return service === undefined ? time : `${service.name}, ${time}`;
}

/** Day (ISO 8601) and clock time of a moment in the account's zone. */
export function localOf(
  { context }: FlowTurn,
  start: string | Date,
): { day: string; time: string } {
  const zone = context.account.timeZone;
  const moment =
    typeof start === "string"
      ? DateTime.fromISO(start, { zone })
      : DateTime.fromJSDate(start, { zone });
  return { day: moment.toISODate() ?? "", time: moment.toFormat("HH:mm") };
}

/** A day in words: `jueves 26 de noviembre`. */
export function wordsOfDay({ context, reading }: FlowTurn, day: string): string {
  const { timeZone } = context.account;
  const startTime = DateTime.fromISO(`${day}T12:00`, { zone: timeZone }).toJSDate();
  const words = wordsOfTime({ startTime, resourceName: "", language: reading.language, timeZone });
  return words.slice(0, words.lastIndexOf(","));
}

/** A clock time in words: `17:00` or `5:00 PM`. */
export function wordsOfClock({ reading }: FlowTurn, time: string): string {
  if (reading.language === "es") return time;
  return DateTime.fromFormat(time, "HH:mm").toFormat("h:mm a");
}

export const todayOf = (turn: FlowTurn): string => localOf(turn, turn.context.now).day;
