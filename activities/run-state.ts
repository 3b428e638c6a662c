/** State of a run in Temporal. `missing`: Temporal does not know the run, or no longer. */
export type RunState = "running" | "closed" | "missing";

/**
 * Reads the states of runs by their workflow ids, and ends those that are stuck: they read `closed`.
 * Leaves out those whose state Temporal does not tell.
 */
export type ReadRunStates = (workflowIds: string[]) => Promise<Map<string, RunState>>;

/** @returns true if no run does the work any more; false where the state is unknown. */
export function isLost(state: RunState | undefined): boolean {
  return state === "missing" || state === "closed";
}
