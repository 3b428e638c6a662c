import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import type { ReadRunStates, RunState } from "../activities/run-state.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import { withLimit } from "./time-limit.ts";

const limitMs = 5_000;
const atOnce = 10;
/** What Temporal calls a run that does nothing any more. Any other word means that it still might. */
const closed = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED", "TIMED_OUT"]);

/** Asks one namespace how runs stand, a few at a time. They are asked for and told by our own names. */
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
