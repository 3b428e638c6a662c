// Workflow code runs this file, so it imports nothing.

/** Reasons for which a page or file gave no suggestions. */
export const sourceFailures = [
  "refused_address",
  "unreachable",
  "too_slow",
  "not_found",
  "forbidden",
  "server_error",
  "too_many_redirects",
  "too_big",
  "not_a_page",
  "not_text",
  "unknown_kind",
  "not_csv",
  "not_two_columns",
  "nothing_found",
  "too_many_questions",
  "too_many_items",
] as const;
export type SourceFailure = (typeof sourceFailures)[number];

/** Input of the workflow that reads a page: ids alone, since Temporal keeps the input. */
export type RefreshPageInput = {
  accountId: number;
  sourceId: number;
  /** Number of the read. A page that is read again gets another run. */
  run: number;
};

/** Outcome of a read of a page. `over`: the source is gone, or another run has read it. */
export type RefreshPageOutcome =
  | { state: "ready"; suggested: number }
  | { state: "failed"; code: SourceFailure }
  | { state: "over" };

/** Outcome of the search for pages that are due. */
export type DuePages = { requested: number; done: boolean };
