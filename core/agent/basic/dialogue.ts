import type { Part } from "./date-words.ts";

/** Tasks that take several turns. `faq` waits for the choice of an offered question. */
export type Flow = "book" | "move" | "cancel" | "contact" | "faq";

/** A free time that the last reply offered. */
export interface ShownSlot {
  /** ISO 8601, UTC. */
  start: string;
  resourceId: number;
}

/** Values that a flow has collected: ids, days and times, never a customer's text. */
export interface FlowSlots {
  serviceId?: number;
  /** 0: any agenda. */
  resourceId?: number;
  appointmentId?: number;
  /** First and last wanted day, ISO 8601. Without `to` the days have no end. */
  from?: string;
  to?: string;
  excluded?: string[];
  part?: Part;
  /** Wanted clock time, `HH:MM`. */
  time?: string;
  /** The wanted time is that of the appointment, which is not known yet. */
  sameTime?: boolean;
  /** Wanted times lie between these, `HH:MM`. */
  after?: string;
  until?: string;
  /** Times or days that the words may have meant. */
  choices?: string[];
  shown?: ShownSlot[];
  /** The time that the customer chose. */
  chosen?: ShownSlot;
  /** Knowledge items whose questions were offered. */
  itemIds?: number[];
}

/** Values that a reply may ask for. `half` is the half of the day of an hour. */
export type Asked =
  | "service"
  | "resource"
  | "day"
  | "half"
  | "slot"
  | "name"
  | "email"
  | "confirm"
  | "appointment"
  | "question"
  | "person";

/** State of the built-in agent between two turns, as the conversation's row keeps it. */
export interface Dialogue {
  flow: Flow | null;
  slots: FlowSlots;
  /** The value that the last reply asked for. */
  asked: Asked | null;
  /** Bursts in a row that were not understood. */
  misses: number;
}

export const noDialogue: Dialogue = { flow: null, slots: {}, asked: null, misses: 0 };
