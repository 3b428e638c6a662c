// Workflow code runs this file, so it imports nothing.

/** States of an import. */
export const importStates = [
  "uploaded",
  "mapping",
  "planning",
  "planned",
  "committing",
  "paused",
  "done",
  "cancelled",
  "failed",
  "undoing",
  "undone",
] as const;
export type ImportState = (typeof importStates)[number];

/** Calls that change the state of an import. */
export type ImportCommand = "map" | "plan" | "commit" | "pause" | "resume" | "cancel" | "undo";

/**
 * The state table: for each call the states that it leaves, and the state after it. The run of the
 * import makes the other changes: planning ends as planned, committing as done, undoing as undone.
 */
export const importTransitions = {
  map: { from: ["mapping", "planned", "failed"], to: "mapping" },
  plan: { from: ["mapping", "planned", "failed"], to: "planning" },
  commit: { from: ["planned"], to: "committing" },
  pause: { from: ["committing"], to: "paused" },
  resume: { from: ["paused"], to: "committing" },
  cancel: {
    from: ["uploaded", "mapping", "planning", "planned", "committing", "paused", "failed"],
    to: "cancelled",
  },
  undo: { from: ["done", "cancelled"], to: "undoing" },
} as const satisfies Record<ImportCommand, { from: readonly ImportState[]; to: ImportState }>;

/** States of an import that has not ended. */
export const openImportStates = [
  "mapping",
  "planning",
  "planned",
  "committing",
  "paused",
  "failed",
  "undoing",
] as const satisfies readonly ImportState[];

/** Counts of the rows of an import: in all, by plan, and by outcome. */
export interface ImportCounts {
  rows: number;
  planned: { create: number; update: number; unchanged: number; skip: number; conflict: number };
  done: {
    created: number;
    updated: number;
    unchanged: number;
    skipped: number;
    conflicts: number;
    failed: number;
    undone: number;
    kept: number;
  };
}

/** Input of both runs of an import. */
export type ImportRun = { accountId: number; importId: number };

/**
 * Outcome of one step. `more`: the work goes on at once. `idle`: the run waits for a signal, at most
 * for `waitMs`. `ended`: nothing is left to do.
 */
export type ImportStep = { handled: number; total: number | null } & (
  | { next: "more" | "ended"; state: string }
  | { next: "idle"; state: string; waitMs: number }
);
