import { turnLimitMs } from "../../core/model/workflow/agent.ts";
import type { TalkBook } from "./agent-talks.ts";

/** Fates of a provider that hangs, and of the conversation, after the end of a worker. */
export const endings = [
  "answers again",
  "hangs on",
  "pause before the takeover",
  "pause after the takeover",
  "pause beside the answer",
] as const;
export type Ending = (typeof endings)[number];

/** Beyond the limit of a turn: the cut of its step, on a worker that must read its history first. */
const graceMs = 15_000;

/** A talk of one turn, whose model step waited while its worker died. */
export interface HungTalk {
  ending: Ending;
  /** The step that waited. 1: before the booking, 2: after it. */
  heldStep: 1 | 2;
  /** State at the commit of the pause; null where nobody paused. */
  atPause: TalkBook | null;
  after: TalkBook;
}

/** Compares a talk with what must hold. @returns one text for each breach */
export function judgeTalk(talk: HungTalk): string[] {
  const { atPause, after } = talk;
  const { turnMs, appointments, replies } = after;
  return listFalse([
    [turnMs !== null && turnMs <= turnLimitMs + graceMs, `a turn of ${turnMs} ms`],
    [appointments <= 1, `${appointments} appointments`],
    [replies <= 1, `${replies} messages`],
    ...(atPause === null ? rulesOfGoingOn(talk) : rulesOfPause(talk, atPause)),
  ]);
}

type Rule = [holds: boolean, otherwise: string];

/** One message, which tells of a booking where there is one. */
function rulesOfGoingOn({ ending, heldStep, after }: HungTalk): Rule[] {
  const { outcomes, appointments, confirmations, replies, untold } = after;
  const isAnswered = ending === "answers again";
  const expected = isAnswered ? ["replied"] : ["replied", "handed_off"];
  const isBooked = isAnswered || heldStep === 2;
  return [
    [expected.includes(outcomes), `ended as ${outcomes}`],
    [replies === 1, `not one message: ${replies}`],
    [untold === 0, "the customer does not know of a booking"],
    [confirmations === appointments, `${confirmations} confirmations of ${appointments} bookings`],
    [!isBooked || appointments === 1, "nothing is booked"],
  ];
}

/** Rules after a pause: the agent writes no message, calls no tool and books no appointment. */
function rulesOfPause({ ending, heldStep, after }: HungTalk, atPause: TalkBook): Rule[] {
  const { outcomes, replies, appointments } = after;
  const isRace = ending === "pause beside the answer";
  // Only an answer that committed before the pause stands.
  const expected = isRace && replies === 1 ? "replied" : "paused";
  return [
    [after.newestReply === atPause.newestReply, "a message after the pause"],
    [after.newestDeed === atPause.newestDeed, "a call of a tool after the pause"],
    [appointments === atPause.appointments, "an appointment after the pause"],
    [outcomes === expected, `ended as ${outcomes} with ${replies} messages`],
    [isRace || replies === 0, "a message although the model never answered"],
    [isRace || appointments === heldStep - 1, `${appointments} appointments`],
  ];
}

function listFalse(rules: readonly Rule[]): string[] {
  return rules.flatMap(([holds, otherwise]) => (holds ? [] : [otherwise]));
}
