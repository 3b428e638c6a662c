// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;

/**
 * The wait after failed try 1, 2, … to move the event on the external calendar; after the last try the
 * move of the appointment is given up. A try ends within 15 s, so all of it within two minutes. Our choice.
 */
export const moveWaitsMs: readonly number[] = [secondMs, 3 * secondMs, 6 * secondMs, 10 * secondMs];

/** No further call to a calendar begins this long after the beginning of a try; one takes 5 s at most. */
export const tryMs = 10 * secondMs;

/** Input of the workflow that moves an appointment: ids alone, since Temporal keeps it. */
export type RescheduleRun = { accountId: number; appointmentId: number; rescheduleId: number };

/** Input of the workflow that brings the external events of an appointment in line with it. */
export type SyncAppointmentInput = { accountId: number; appointmentId: number };

/** Why a move failed that our own rules allow. */
export type MoveFailure = "calendar_unavailable" | "calendar_refused";

/** What came of writing to external calendars: a value, since only faults of our own are thrown. */
export type CalendarOutcome =
  /** All is there as it should be; without a calendar that is nothing. */
  | { state: "done" }
  /** The calendar is in trouble that may pass. */
  | { state: "waiting"; code: string }
  /** The calendar will not have it. */
  | { state: "failed"; code: string };

/** How a move ended in MySQL, and whose events are to be looked after then. */
export type RescheduleEnd = {
  state: "committed" | "released";
  /** Why it was released. */
  code: string | null;
  appointmentIds: number[];
};
