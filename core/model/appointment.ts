import { minuteMs } from "./durations.ts";

/** Statuses of an appointment; `rescheduled`: another appointment replaced it. Rule C69. */
export const appointmentStatuses = [
  "confirmed",
  "rescheduled",
  "cancelled",
  "completed",
  "no_show",
] as const;
export type AppointmentStatus = (typeof appointmentStatuses)[number];

/**
 * Orders of a list of appointments. `asc` and `desc` go by start. `next` lists the next confirmed
 * appointments first, then the others from the latest on.
 */
export const appointmentOrders = ["asc", "desc", "next"] as const;
export type AppointmentOrder = (typeof appointmentOrders)[number];

/**
 * Origin of a booking or a change: `agente`, `panel`, `enlace`, `google`, `calendly`, `voz` or
 * another word. Null where the origin is unknown. Rule C43.
 */
export type AppointmentSource = string | null;

/** Source of what the AI agent books and changes. */
export const agentSource = "agente";

/** Triggers that change an appointment once it is booked. */
export type AppointmentTrigger = "confirm" | "complete" | "miss" | "cancel" | "move" | "replace";

/** Effects of a trigger. */
export interface AppointmentTransition {
  status: AppointmentStatus;
  /** Event to publish; null: none. */
  event: "appointment.created" | "appointment.rescheduled" | "appointment.cancelled" | null;
  /** True where the time was free for others until now, so the caller has to check it. */
  takesTime: boolean;
}

/** Reasons to refuse a trigger. */
export type AppointmentRefusal =
  | "appointment_replaced"
  | "appointment_not_confirmed"
  | "appointment_not_begun";

/** A visit can be marked as completed or missed from its start on. Rule C72. */
export function hasBegun(startTime: Date, now: Date): boolean {
  return startTime <= now;
}

/**
 * The state table of an appointment. A trigger that changes nothing keeps the status and publishes
 * nothing. Rules C69 to C72.
 * @param begun as `hasBegun` says
 */
export function transitAppointment(
  from: AppointmentStatus,
  trigger: AppointmentTrigger,
  begun: boolean,
): AppointmentTransition | AppointmentRefusal {
  if (from === "rescheduled") return "appointment_replaced";
  const status = nextStatus(from, trigger);
  if (status === null) return "appointment_not_confirmed";
  if (!begun && status !== from && isOver(status)) return "appointment_not_begun";
  return {
    status,
    event: eventOf(from, status, trigger),
    takesTime: !occupiesTime(from) && occupiesTime(status),
  };
}

/**
 * A completed visit keeps its time. The time of a customer who did not come is free for another.
 * @returns true where an appointment in this status keeps others out of its time.
 */
export function occupiesTime(status: AppointmentStatus): boolean {
  return status === "confirmed" || status === "completed";
}

/** Statuses of a visit that was agreed, so that an external calendar may give it another time. */
export type AgreedStatus = "confirmed" | "completed" | "no_show";

export function isAgreed(status: AppointmentStatus): status is AgreedStatus {
  return status === "confirmed" || isOver(status);
}

/**
 * Status of an agreed visit that an external calendar has moved. A visit at a new time is still to
 * come, so it is confirmed again. A mark stays while the time stays, or if the new time is over:
 * then the calendar has corrected a record.
 */
export function statusAfterMove(
  status: AgreedStatus,
  before: Pick<BookedTime, "startTime" | "endTime">,
  after: Pick<BookedTime, "startTime" | "endTime">,
  now: Date,
): AgreedStatus {
  return isSameTime(before, after) || after.endTime <= now ? status : "confirmed";
}

function isOver(status: AppointmentStatus): boolean {
  return status === "completed" || status === "no_show";
}

function nextStatus(
  from: Exclude<AppointmentStatus, "rescheduled">,
  trigger: AppointmentTrigger,
): AppointmentStatus | null {
  switch (trigger) {
    case "confirm":
      return "confirmed";
    case "complete":
      return from === "cancelled" ? null : "completed";
    case "miss":
      return from === "cancelled" ? null : "no_show";
    case "cancel":
      return from === "confirmed" || from === "cancelled" ? "cancelled" : null;
    case "move":
      return from === "confirmed" ? "confirmed" : null;
    case "replace":
      return from === "confirmed" ? "rescheduled" : null;
  }
}

function eventOf(
  from: AppointmentStatus,
  status: AppointmentStatus,
  trigger: AppointmentTrigger,
): AppointmentTransition["event"] {
  if (trigger === "move" || trigger === "replace") return "appointment.rescheduled";
  if (status === from) return null;
  if (status === "cancelled") return "appointment.cancelled";
  return from === "cancelled" ? "appointment.created" : null;
}

/** Maximum length of an appointment: a day. A longer block of a resource is a closure. */
export const maxDurationMinutes = 24 * 60;
/** Maximum length of each buffer: four hours. */
export const maxBufferMinutes = 4 * 60;

/** Minimum distance between two offered starts, so that the number of slots in a day is limited. */
export const minStepMinutes = 5;

/** A time on an agenda: the appointment itself, and the time blocked with its buffers. */
export interface BookedTime {
  startTime: Date;
  endTime: Date;
  blockedFrom: Date;
  blockedUntil: Date;
}

/** True if two times begin and end together. */
export function isSameTime(
  one: Pick<BookedTime, "startTime" | "endTime">,
  other: Pick<BookedTime, "startTime" | "endTime">,
): boolean {
  return (
    one.startTime.getTime() === other.startTime.getTime() &&
    one.endTime.getTime() === other.endTime.getTime()
  );
}

/** The same time with its buffers, moved to another start. `endTime` gives it another length. */
export function moveTime(time: BookedTime, startTime: Date, endTime?: Date): BookedTime {
  const end = endTime ?? new Date(startTime.getTime() + lengthMs(time.startTime, time.endTime));
  return {
    startTime,
    endTime: end,
    blockedFrom: new Date(startTime.getTime() - lengthMs(time.blockedFrom, time.startTime)),
    blockedUntil: new Date(end.getTime() + lengthMs(time.endTime, time.blockedUntil)),
  };
}

/** Reasons why a time is not free. `buffer`: two appointments overlap by their buffers alone. */
export type TakenReason = "appointment" | "buffer" | "hold" | "busy";

/**
 * A time of an agenda that an appointment has, that a move under way holds, or that an event of an
 * external calendar takes.
 */
export interface OccupiedTime extends BookedTime {
  kind: "appointment" | "hold" | "busy";
}

/**
 * Reason why a time is not free, from the times that it overlaps. An appointment comes before a
 * buffer, a buffer before a hold, and a hold before an event of the calendar.
 */
export function takenReason(wanted: BookedTime, meets: readonly OccupiedTime[]): TakenReason {
  const reasons = meets.map((other): TakenReason => {
    if (other.kind !== "appointment") return other.kind;
    const overlaps = other.startTime < wanted.endTime && other.endTime > wanted.startTime;
    return overlaps ? "appointment" : "buffer";
  });
  return (
    (["appointment", "buffer", "hold", "busy"] as const).find((one) => reasons.includes(one)) ??
    "hold"
  );
}

/** Minutes from one moment to another. */
export function minutesBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / minuteMs;
}

function lengthMs(from: Date, to: Date): number {
  return to.getTime() - from.getTime();
}

/**
 * Modes of a move: `same` keeps the id (Dashboard, booking link, calendars), `replace` makes a new
 * appointment (AI agent). Rule C70.
 */
export const rescheduleModes = ["same", "replace"] as const;
export type RescheduleMode = (typeof rescheduleModes)[number];

/** A move is `requested` until it is committed, or given up and `released`. */
export const rescheduleStates = ["requested", "committed", "released"] as const;
export type RescheduleState = (typeof rescheduleStates)[number];

/** Time that a move may take. After that others can book the time that it holds. */
export const rescheduleHoldMs = 15 * minuteMs;
