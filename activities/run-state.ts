/** How a run stands in Temporal. `missing`: it does not know it, or no more. */
export type RunState = "running" | "closed" | "missing";

/** Asks Temporal how runs stand, by their workflow ids. Throws where it does not answer. */
export type ReadRunStates = (workflowIds: string[]) => Promise<Map<string, RunState>>;

/** @returns true where no run does the work any more. */
export function isLost(state: RunState | undefined): boolean {
  return state === "missing" || state === "closed";
}
