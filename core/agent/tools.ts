import { z } from "zod";
import { parsedText, parseEmail } from "../model/contact.ts";

// Arguments of the tools, as models and the built-in agent give them. The server adds account,
// conversation and contact. Times are those of the account's zone.

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/u);
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/u);
const id = z.int().positive();
const slotRef = z.string().regex(/^S[1-9]$/u);

/** A time to book: a ref of an offered slot, or a day with a clock time. */
const target = {
  slot_ref: slotRef.optional(),
  service_id: id.optional(),
  resource_id: id.optional(),
  day: day.optional(),
  time: clock.optional(),
};

/** Arguments of each tool. To add a tool: a line here, and its effect in `core/services/agent/tools/`. */
export const toolInputs = {
  search_knowledge: z.strictObject({ query: z.string().min(1).max(400) }),
  list_appointments: z.strictObject({}),
  find_slots: z.strictObject({
    service_id: id.optional(),
    resource_id: id.optional(),
    from_day: day.optional(),
    /** The last day, itself included. Default: 14 days from `from_day`. */
    to_day: day.optional(),
    part: z.enum(["morning", "afternoon", "evening"]).optional(),
    /** Times nearest to this one come first. */
    time: clock.optional(),
    /** The earliest start of each day. */
    after: clock.optional(),
    /** Each time starts before it. */
    until: clock.optional(),
    excluded_days: z.array(day).max(31).optional(),
    /** The appointment to move: its own time counts as free. */
    appointment_id: id.optional(),
  }),
  book_appointment: z.strictObject({
    ...target,
    /** The customer's name, stored where the contact has none. */
    name: z.string().min(1).max(200).optional(),
  }),
  reschedule_appointment: z.strictObject({ appointment_id: id, ...target }),
  cancel_appointment: z.strictObject({
    appointment_id: id,
    reason: z.string().max(500).optional(),
  }),
  update_contact: z.strictObject({
    name: z.string().trim().min(1).max(200).optional(),
    email: parsedText(parseEmail, "invalid_email", "Use an email address.").optional(),
  }),
  move_stage: z.strictObject({ stage_id: id }),
  add_note: z.strictObject({ text: z.string().min(1).max(2_000) }),
  hand_off: z.strictObject({
    reason: z.string().min(1).max(500),
    /** The closing text to the customer. */
    message: z.string().min(1).max(1_000).optional(),
  }),
} as const;

export type ToolName = keyof typeof toolInputs;
export const toolNames = Object.keys(toolInputs) as ToolName[];
export type ToolInput<Name extends ToolName> = z.output<(typeof toolInputs)[Name]>;

/** A free time that `find_slots` offers, or a refused booking names instead. */
export interface OfferedSlot {
  ref: string;
  /** ISO 8601, UTC. */
  start: string;
  service_id: number | null;
  resource_id: number;
  /** Weekday, date, time and resource in the language of the conversation. */
  words: string;
}

/** An appointment in the result of a tool. */
export interface ToolAppointment {
  appointment_id: number;
  /** ISO 8601, UTC. */
  start: string;
  service_id: number | null;
  resource_id: number;
  words: string;
}

/** Results of tools that succeeded. */
export interface ToolResults {
  search_knowledge: { items: { id: string; question: string; answer: string }[] };
  list_appointments: { appointments: ToolAppointment[] };
  find_slots: { slots: OfferedSlot[] };
  book_appointment: ToolAppointment;
  reschedule_appointment: ToolAppointment;
  cancel_appointment: ToolAppointment;
  update_contact: { name: string | null; email: string | null };
  move_stage: { stage_id: number };
  add_note: { note_id: number };
  hand_off: Record<string, never>;
}

/** Reasons of a refusal. The hint tells the model the next step, in English. */
export type ToolRefusalCode =
  | "invalid_input"
  | "unknown_tool"
  | "not_allowed"
  | "not_found"
  | "slot_taken"
  | "outside_hours"
  | "past_time"
  | "name_needed"
  | "service_needed"
  | "time_needed"
  | "not_confirmed_by_customer"
  | "too_many_bookings"
  | "already_there"
  | "appointment_not_confirmed"
  | "conflict"
  | "failed";

export interface ToolRefusal {
  ok: false;
  code: ToolRefusalCode;
  hint: string;
  /** Nearest free times, where a time was refused. */
  nearest?: OfferedSlot[];
}

export type ToolResult<Name extends ToolName = ToolName> =
  | ({ ok: true } & ToolResults[Name])
  | ToolRefusal;

/** A call as a model asked for it. The name may be unknown, and the input of any shape. */
export interface ToolCall {
  /** The model's own id of the call; the built-in agent counts. */
  callId: string;
  tool: string;
  input: unknown;
}

/** Calls of one step, each with its result. */
export interface ToolRound {
  /** Text that the model wrote beside the calls. */
  text: string;
  calls: readonly (ToolCall & { result: ToolResult })[];
}
