// Workflow code runs this file, so it imports nothing.

/** Time that a cancellation which is half of a move waits for its other half. */
export const pairWaitMs = 600_000;

/** Pause between two reads of an account whose webhooks arrive. */
export const calendlyHourMs = 3_600_000;
/** Pause between two reads of an account without webhooks. */
export const calendlyPollMs = 300_000;

/** Rounds after which the history of a reconcile begins anew. */
export const calendlyRounds = 500;

/** A stored webhook. */
export type CalendlyRequestRun = { accountId: number; requestId: number };

/** An invitee, by the number of its row. */
export type CalendlyInviteeRun = { accountId: number; inviteeId: number };

/** A connection with Calendly. */
export type CalendlyConnectionRun = { accountId: number; connectionId: number };

/** Outcome of a webhook. `ignored`: another shape, or a connection that is gone. */
export interface CalendlyRequestOutcome {
  state: "applied" | "ignored";
}

/**
 * Outcome of the wait for the other half of a move. `over`: it was there already. `left`: Calendly
 * did not let itself be asked, so the next read that works settles the move.
 */
export interface CalendlyPairOutcome {
  state: "moved" | "cancelled" | "over" | "left";
}

/** Outcome of one read. `over`: the connection is gone, or needs a person. */
export type CalendlyReadOutcome =
  | { state: "waiting"; waitMs: number; changed: number }
  | { state: "over" };

/** Outcome of a change of ours at Calendly. `over`: nothing is left to tell. */
export interface CalendlyTellOutcome {
  state: "told" | "over";
}
