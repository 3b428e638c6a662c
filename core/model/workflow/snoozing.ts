/** Input of the workflow of a snooze: ids alone, since Temporal keeps the input. */
export type SnoozeInput = {
  accountId: number;
  conversationId: number;
  /** Number of the snooze. A conversation that is snoozed again gets another run. */
  run: number;
};

/**
 * Outcome of a check of a snooze. `ended`: this run has ended the snooze. `over`: the snooze ended
 * before, or another one has replaced it.
 */
export type SnoozeOutcome = { state: "waiting"; waitMs: number } | { state: "ended" | "over" };
