// Workflow code runs this file, so it imports nothing.

/** Input of the workflow that reads a list of templates: ids alone, since Temporal keeps it. */
export type SyncTemplatesInput = {
  accountId: number;
  syncId: number;
  /** Number of the read. A list that is read again gets another run. */
  run: number;
  /** Pause before the read, so that a burst of news costs one read a minute. */
  waitMs: number;
};

/** Reasons for which a list could not be read. */
export const templateSyncFailures = [
  "no_access",
  "refused",
  "token_refused",
  "too_many_calls",
  "too_many_templates",
  "unreachable",
  "not_a_list",
] as const;
export type TemplateSyncFailure = (typeof templateSyncFailures)[number];

/** Outcome of a read. `over`: another run has read the list, or nobody needs it. */
export type SyncTemplatesOutcome =
  | { state: "read"; templates: number }
  | { state: "failed"; code: TemplateSyncFailure; again: boolean }
  | { state: "over" };

/** Pauses before a read that failed for a passing reason is tried again, in milliseconds. */
export const templateSyncWaitsMs = [5_000, 30_000, 120_000] as const;

/** Outcome of the search for lists that are due. */
export type DueTemplateSyncs = { requested: number; done: boolean };
