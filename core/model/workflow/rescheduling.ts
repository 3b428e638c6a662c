// Workflow code runs this file, so it imports nothing.

const secondMs = 1_000;

/**
 * The wait after failed try 1, 2, … to move the event on the external calendar. After the last try
 * the move of the appointment is given up. A try ends within 15 s, so all tries end within two
 * minutes.
 */
export const moveWaitsMs: readonly number[] = [secondMs, 3 * secondMs, 6 * secondMs, 10 * secondMs];

/**
 * No further call to a calendar begins this long after the beginning of a try. A call takes 5 s at
 * most.
 */
export const tryMs = 10 * secondMs;

/** Input of the workflow that moves an appointment: ids alone, since Temporal keeps the input. */
export type RescheduleRun = { accountId: number; appointmentId: number; rescheduleId: number };

/** Input of the workflow that brings the external events of an appointment in line with it. */
export type SyncAppointmentInput = { accountId: number; appointmentId: number };

/** Reasons for the failure of a move that our own rules allow. */
export type MoveFailure = "calendar_unavailable" | "calendar_refused";

/** Outcome of writing to external calendars: a value, since only our own faults are thrown. */
export type CalendarOutcome =
  /** Every event is as it should be. So is an appointment without a calendar. */
  | { state: "done" }
  /** The calendar has a fault that may pass. */
  | { state: "waiting"; code: string }
  /** The calendar refuses the write. */
  | { state: "failed"; code: string };

/** Result of a move in MySQL, with the appointments whose events are to be synchronized then. */
export type RescheduleEnd = {
  state: "committed" | "released";
  /** Reason of the release. */
  code: string | null;
  appointmentIds: number[];
};
