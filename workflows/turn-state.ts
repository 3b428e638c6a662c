import { CancelledFailure, CancellationScope } from "@temporalio/workflow";
import { maxRestarts } from "../core/model/workflow/agent.ts";

/** State of a run of the agent. */
export interface TurnState {
  /** Signals that the customer wrote. */
  wrote: number;
  /** A person has taken over during this turn. */
  cut: boolean;
  /** Turns in a row that began again because the customer went on writing. */
  restarts: number;
  /** The turn has changed something, so it ends with a reply. */
  effects: boolean;
  /** The model step under way. */
  step: CancellationScope | null;
}

/** Runs a step that signals may cut. A signal during a tool call waits for the next step. */
export async function inScope<T>(state: TurnState, step: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  state.step = scope;
  try {
    return await scope.run(step);
  } catch (error) {
    // A cancelled step may end with the fault of its last attempt, and is cut all the same.
    throw scope.consideredCancelled ? new CancelledFailure("cut") : error;
  } finally {
    state.step = null;
  }
}

/** True while a further message of the customer begins the turn again. */
export function mayRestart({ effects, restarts }: TurnState): boolean {
  return !effects && restarts < maxRestarts;
}
