import type { SiteContext } from "../model/site-context.ts";
import type { WeeklyHours } from "../model/schedule.ts";
import type { Locale } from "../model/user.ts";
import type { ToolName, ToolRound } from "./tools.ts";
import type { Dialogue } from "./basic/dialogue.ts";

/** A service that customers can book. */
export interface ContextService {
  id: number;
  name: string;
  durationMinutes: number;
  /** Ids of the resources that give it. */
  resourceIds: readonly number[];
}

/** A resource with its own opening hours. */
export interface ContextResource {
  id: number;
  name: string;
  /** IANA name of the zone of its hours. */
  timeZone: string;
  weeklyHours: WeeklyHours;
}

/** An appointment ahead that the agent may speak of. */
export interface ContextAppointment {
  id: number;
  serviceId: number | null;
  resourceId: number;
  startTime: Date;
  endTime: Date;
}

/** A free time of an agenda, as an option offers it and the customer's answer names it. */
export interface SlotChoice {
  startTime: Date;
  serviceId: number | null;
  resourceId: number;
  /** The appointment that moves to this time. Null: a new appointment. */
  appointmentId: number | null;
}

/**
 * A message of the conversation, oldest first. `person` is a member of the team. A `divider` stands
 * where a resolved conversation began again.
 */
export interface ContextMessage {
  id: number;
  speaker: "customer" | "agent" | "person" | "divider";
  /** Text, or a placeholder such as `[audio]`. */
  text: string;
  at: Date;
  /** The offered slot that the customer chose with this message. */
  slot?: SlotChoice;
}

/** An approved item of the knowledge base that fits the burst, best first. */
export interface KnowledgeHit {
  id: number;
  question: string;
  answer: string;
  language: Locale;
  /** 0 to 1, by `search.ts`. */
  score: number;
}

/** A time that `find_slots` has offered. */
export interface SlotOffer {
  /** `S1` to `S9`. */
  ref: string;
  startTime: Date;
  serviceId: number | null;
  resourceId: number;
}

/** An effect that was made, but that the customer has not been told of. */
export interface UntoldEffect {
  tool: ToolName;
  /** Text of the confirmation, from the row. */
  text: string;
}

/** Style of the agent, as the account has set it. */
export interface Persona {
  /** Name by which the agent introduces itself; empty: none. */
  name: string;
  tone: "friendly" | "neutral" | "formal";
  /** Extra rules in the account's own words; for models only. */
  instructions: string;
  /** The first message says that an assistant writes. */
  introduces: boolean;
}

/**
 * All that a step may know, read in one transaction. A model gets it rendered as text, the built-in
 * agent as it is.
 */
export interface AgentContext {
  account: { name: string; timeZone: string; locale: Locale; address: string | null };
  persona: Persona;
  now: Date;
  /** True where a member of the team is at work now, by the agent's team hours. */
  teamIsOpen: boolean;
  services: readonly ContextService[];
  resources: readonly ContextResource[];
  stages: readonly { id: number; name: string }[];
  contact: { name: string | null; phone: string | null; email: string | null };
  /** The site of web chat that the customer is on, and what it tells. Nobody has checked either. */
  site?: { page: string | null; title: string | null; facts: SiteContext };
  appointments: readonly ContextAppointment[];
  messages: readonly ContextMessage[];
  /** The customer's messages that the turn answers: ids of `messages` greater than this one. */
  answeredUpTo: number;
  knowledge: readonly KnowledgeHit[];
  /** Items whose questions the last reply offered, by `slots.itemIds` of the dialogue. */
  offeredItems?: readonly KnowledgeHit[];
  offers: readonly SlotOffer[];
  untold: readonly UntoldEffect[];
  /** Language of the conversation so far; null before the first turn. */
  language: Locale | null;
  /** The state of the built-in agent after its last reply. */
  dialogue: Dialogue | null;
  /** The dialogue that somebody interrupted within a day. A yes confirms nothing of it. */
  interrupted?: Dialogue;
  /** Tools that the account allows. */
  tools: readonly ToolName[];
  /** Calls of this turn so far, with their results. */
  rounds: readonly ToolRound[];
}
