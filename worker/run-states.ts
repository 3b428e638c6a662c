import { WorkflowNotFoundError, type Client } from "@temporalio/client";
import type { ReadRunStates, RunState } from "../activities/run-state.ts";
import type { Logger } from "../core/log.ts";
import type { TemporalNaming } from "../core/model/installation.ts";
import { withLimit } from "./time-limit.ts";

const limitMs = 5_000;
const atOnce = 10;
/**
 * Temporal's names for the states of a closed run. Any other name means that the run may still act.
 */
const closed = new Set(["COMPLETED", "FAILED", "CANCELLED", "TERMINATED", "TIMED_OUT"]);

/**
 * A workflow task in this attempt has failed or timed out four times in a row, in more than half a
 * minute. A history that Temporal's store has partly lost fails for ever.
 */
const stuckAtAttempt = 5;

/**
 * Reads the states of runs in one namespace, a few at a time. Arguments and results use our own
 * names of the runs. A stuck run is terminated and counts as closed, because it would stay open
 * without ever going on. A run whose state cannot be read is left out, so that the others are read.
 * @param stuckAt attempt of its workflow task from which a run is stuck
 */
export function createRunStates(
  client: Client,
  naming: TemporalNaming,
  log: Logger,
  stuckAt = stuckAtAttempt,
): ReadRunStates {
  return async (workflowIds) => {
    const states = new Map<string, RunState>();
    const left = [...workflowIds];
    const unknown: string[] = [];
    let fault: unknown;
    const ask = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        try {
          states.set(id, await withLimit(limitMs, readRunState(client, naming(id), stuckAt)));
        } catch (error) {
          unknown.push(id);
          fault = error;
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, ask));
    if (unknown.length > 0) log.warn({ err: fault, workflow_ids: unknown }, "runs.unknown");
    return states;
  };
}

async function readRunState(
  client: Client,
  workflowId: string,
  stuckAt: number,
): Promise<RunState> {
  try {
    const { status, runId, raw } = await client.workflow.getHandle(workflowId).describe();
    if (closed.has(status.name)) return "closed";
    const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
    if (attempt < stuckAt) return "running";
    const reason = `Its workflow task came to attempt ${attempt}, so a new run takes its work over.`;
    await client.workflow.getHandle(workflowId, runId).terminate(reason);
    return "closed";
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return "missing";
    throw error;
  }
}
