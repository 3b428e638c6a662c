import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import type { ReadRunStates, RunState } from "../activities/run-state.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import { withLimit } from "./time-limit.ts";

const limitMs = 5_000;
const atOnce = 10;
/**
 * Temporal's names for the states of a closed run. Any other name means that the run may still act.
 */
const closed = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED", "TIMED_OUT"]);

/**
 * Reads the states of runs in one namespace, a few at a time. Arguments and results use our own
 * names of the runs.
 */
export function createRunStates(client: Client, naming: TemporalNaming): ReadRunStates {
  return async (workflowIds) => {
    const states = new Map<string, RunState>();
    const left = [...workflowIds];
    const ask = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        states.set(id, await withLimit(limitMs, readRunState(client, naming(id))));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    return states;
  };
}

async function readRunState(client: Client, workflowId: string): Promise<RunState> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return closed.has(status.name) ? "closed" : "running";
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return "missing";
    throw error;
  }
}
