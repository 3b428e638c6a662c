import { AppError } from "../../../errors.ts";
import type { ToolRefusalCode } from "../../../agent/tools.ts";
import type { ErrorCode } from "../../../model/error-catalogue.ts";

/** A wanted time, around which free times are searched. */
export interface WantedTime {
  startTime: Date;
  serviceId: number | null;
  /** Null: any resource that gives the service. */
  resourceId: number | null;
  /** The appointment to move. */
  exceptAppointmentId?: number | undefined;
}

const hints: Record<ToolRefusalCode, string> = {
  invalid_input: "Correct the arguments.",
  unknown_tool: "Use one of the tools that are listed.",
  not_allowed: "This account does not allow it. Hand off where the customer needs it.",
  not_found: "Use an id from the context, from list_appointments or from find_slots.",
  slot_taken: "This time is not free. Offer the nearest free times.",
  outside_hours: "The agenda is closed at this time. Offer the nearest free times.",
  past_time: "This time has passed. Ask for a later one.",
  name_needed: "Ask for the customer's name, then book with it.",
  service_needed: "Ask which service the customer wants, then name its service_id.",
  time_needed: "Ask for a day and a time, or offer times of find_slots.",
  not_confirmed_by_customer: "Ask the customer, and call again after the answer.",
  too_many_bookings: "This customer has booked enough for today. Hand off.",
  already_there: "The appointment is at this time already. Tell the customer so.",
  appointment_not_confirmed: "This appointment was cancelled, moved or is over.",
  conflict: "Another record has these data, or is being changed. Hand off.",
  failed: "This did not work. Do not claim that it did. Hand off.",
};

/** A refusal of a tool. All effects of its call are undone. */
export class ToolRefused extends Error {
  override readonly name = "ToolRefused";

  constructor(
    readonly code: ToolRefusalCode,
    readonly hint: string = hints[code],
    /** Free times near it are offered with the refusal. */
    readonly near: WantedTime | null = null,
  ) {
    super(code);
  }
}

const codes: Partial<Record<ErrorCode, ToolRefusalCode>> = {
  slot_taken: "slot_taken",
  outside_hours: "outside_hours",
  past_time: "past_time",
  appointment_not_found: "not_found",
  contact_not_found: "not_found",
  resource_archived: "not_found",
  service_not_offered: "not_found",
  appointment_replaced: "appointment_not_confirmed",
  appointment_not_confirmed: "appointment_not_confirmed",
  contact_conflict: "conflict",
  reschedule_in_progress: "conflict",
};

/** Field codes of a `validation_error` that name a row which does not exist. */
const unknownRows = new Set(["unknown_service", "unknown_resource", "unknown_stage"]);

/** The refusal that an error means; null for our own faults, which are thrown on. */
export function refusalOf(error: unknown): ToolRefused | null {
  if (error instanceof ToolRefused) return error;
  if (!(error instanceof AppError)) return null;
  if (error.code !== "validation_error") return new ToolRefused(codes[error.code] ?? "failed");
  const fields = Array.isArray(error.details) ? error.details : [];
  const isUnknown = fields.some(({ code }) => unknownRows.has(code));
  return new ToolRefused(isUnknown ? "not_found" : "invalid_input");
}

const timeRefusals: readonly ToolRefusalCode[] = ["slot_taken", "outside_hours", "past_time"];

/** Runs `work`. A refusal of its time offers the free times near it. */
export async function offeringNear<T>(near: WantedTime, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null || !timeRefusals.includes(refusal.code)) throw error;
    throw new ToolRefused(refusal.code, refusal.hint, near);
  }
}
