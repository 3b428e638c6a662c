/** State of a run in Temporal. `missing`: Temporal does not know the run, or no longer. */
export type RunState = "running" | "closed" | "missing";

/**
 * Reads the states of runs by their workflow ids, and ends those that are stuck: they read `closed`.
 * Throws if Temporal does not answer.
 */
export type ReadRunStates = (workflowIds: string[]) => Promise<Map<string, RunState>>;

/** @returns true if no run does the work any more. */
export function isLost(state: RunState | undefined): boolean {
  return state === "missing" || state === "closed";
}
