import type { Client } from "@temporalio/client";
import type { TemporalNaming } from "../core/model/installation.ts";
import type { TaskQueue } from "../core/model/workflow/workflow-command.ts";
import type { Logger } from "../core/log.ts";
import { withLimit } from "./time-limit.ts";

const limitMs = 10_000;
const taskQueue: TaskQueue = "deliveries";

/**
 * Runs a workflow that does nothing, so that the first delivery finds pollers, code and caches
 * ready. Never throws: a worker works without this run too.
 */
export async function warmUp(client: Client, naming: TemporalNaming, log: Logger): Promise<void> {
  const run = client.workflow.execute("warmUp", {
    workflowId: naming(`warm-up-${process.pid}-${Date.now()}`),
    taskQueue: naming(taskQueue),
    requestEagerStart: true,
    workflowExecutionTimeout: limitMs,
    staticSummary: "a worker gets ready",
  });
  await withLimit(limitMs, run).catch((error: unknown) => {
    log.warn({ err: error }, "worker.not_warmed_up");
  });
}
