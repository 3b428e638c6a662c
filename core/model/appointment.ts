/** Statuses of an appointment; `rescheduled` is one that another replaced. Source: contract; the last three are our words. */
export const appointmentStatuses = [
  "confirmed",
  "rescheduled",
  "cancelled",
  "completed",
  "no_show",
] as const;
export type AppointmentStatus = (typeof appointmentStatuses)[number];

/** How appointments are listed: by their starts; or the next confirmed ones first, then the others from the latest on. */
export const appointmentOrders = ["asc", "desc", "next"] as const;
export type AppointmentOrder = (typeof appointmentOrders)[number];

/**
 * Who booked or changed an appointment: `agente`, `panel`, `enlace`, `google`, `calendly`, `voz` or
 * another word; null where nobody says. Source: contract, Values of source.
 */
export type AppointmentSource = string | null;

/** What can happen to an appointment once it is booked. */
export type AppointmentTrigger = "confirm" | "complete" | "miss" | "cancel" | "move" | "replace";

/** What follows from a trigger. */
export interface AppointmentTransition {
  status: AppointmentStatus;
  /** What receivers are told; null: nothing. */
  event: "appointment.created" | "appointment.rescheduled" | "appointment.cancelled" | null;
  /** Its time was free for others until now, so it must still be. */
  takesTime: boolean;
}

/** Why a trigger is refused. */
export type AppointmentRefusal =
  | "appointment_replaced"
  | "appointment_not_confirmed"
  | "appointment_not_begun";

/** A visit can be marked as completed or missed from its start on. Our choice. */
export function hasBegun(startTime: Date, now: Date): boolean {
  return startTime <= now;
}

/**
 * The state table of an appointment. A trigger that changes nothing keeps the status and tells nobody.
 * Source: contract, Appointment transitions; what it leaves open is our choice.
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
 * Whether an appointment in this status keeps others out of its time. A visit that took place does; the
 * time of a customer who did not come is free for another. Our choice.
 */
export function occupiesTime(status: AppointmentStatus): boolean {
  return status === "confirmed" || status === "completed";
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

/** Our choice: a day; what blocks a resource for longer is a closure. */
export const maxDurationMinutes = 24 * 60;
/** Our choice. */
export const maxBufferMinutes = 4 * 60;

/** The least from one offered start to the next, so that a day has an end. Our choice. */
export const minStepMinutes = 5;

/** A span of time on an agenda: the appointment itself, and with the buffers around it. */
export interface BookedTime {
  startTime: Date;
  endTime: Date;
  blockedFrom: Date;
  blockedUntil: Date;
}

/** The same span with its buffers, begun at another time. `endTime`: another length. */
export function moveTime(time: BookedTime, startTime: Date, endTime?: Date): BookedTime {
  const end = endTime ?? new Date(startTime.getTime() + lengthMs(time.startTime, time.endTime));
  return {
    startTime,
    endTime: end,
    blockedFrom: new Date(startTime.getTime() - lengthMs(time.blockedFrom, time.startTime)),
    blockedUntil: new Date(end.getTime() + lengthMs(time.endTime, time.blockedUntil)),
  };
}

/** Why a time is not free: `buffer` where two appointments meet by the buffers around them alone. */
export type TakenReason = "appointment" | "buffer" | "hold";

/** A time of an agenda that an appointment has, or that a move under way holds. */
export interface OccupiedTime extends BookedTime {
  held: boolean;
}

/** Why a time is not free among those that meet it. An appointment says more than a buffer or a hold. */
export function takenReason(wanted: BookedTime, meets: readonly OccupiedTime[]): TakenReason {
  const reasons = meets.map((other): TakenReason => {
    if (other.held) return "hold";
    const overlaps = other.startTime < wanted.endTime && other.endTime > wanted.startTime;
    return overlaps ? "appointment" : "buffer";
  });
  return (
    (["appointment", "buffer", "hold"] as const).find((one) => reasons.includes(one)) ?? "hold"
  );
}

/** Minutes from one moment to another. */
export function minutesBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 60_000;
}

function lengthMs(from: Date, to: Date): number {
  return to.getTime() - from.getTime();
}

/**
 * How an appointment is moved: `same` keeps its id (Dashboard, booking link, calendars), `replace` makes
 * a new one (AI agent). Source: contract, Appointment transitions.
 */
export const rescheduleModes = ["same", "replace"] as const;
export type RescheduleMode = (typeof rescheduleModes)[number];

/** A move is `requested` until it is committed, or given up and `released`. */
export const rescheduleStates = ["requested", "committed", "released"] as const;
export type RescheduleState = (typeof rescheduleStates)[number];

/** How long a move may take before others can have the time it holds. Our choice. */
export const rescheduleHoldMs = 15 * 60_000;
