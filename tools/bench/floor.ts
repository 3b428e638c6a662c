import { fileURLToPath } from "node:url";
import { Client } from "@temporalio/client";
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from "@temporalio/worker";
import { measureRate } from "./load.ts";

/**
 * Runs per second of a no-op workflow, started eagerly. A delivery with its own workflow cannot be
 * faster on the same machine than `noop`, and a turn of the agent not faster than `noopTurn`.
 */
export async function measureFloor(
  address: string,
  total: number,
  slots: number,
  workflow: "noop" | "noopTurn" = "noop",
): Promise<number> {
  Runtime.install({ logger: new DefaultLogger("WARN") });
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const worker = await Worker.create({
    connection,
    taskQueue: "bench",
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL("./noop-workflow.ts", import.meta.url)),
      logger: new DefaultLogger("WARN"),
    }),
    activities: { nothing: async () => {} },
    maxConcurrentWorkflowTaskExecutions: slots,
    maxConcurrentLocalActivityExecutions: slots,
    maxConcurrentActivityTaskExecutions: slots,
    maxCachedWorkflows: 4_000,
  });
  const run = (prefix: string, count: number) =>
    measureRate(count, 100, async (index) => {
      const handle = await client.workflow.start(workflow, {
        taskQueue: "bench",
        workflowId: `${prefix}-${index}`,
        requestEagerStart: true,
      });
      await handle.result();
    });
  const rate = await worker.runUntil(async () => {
    await run(`warm-${Date.now()}`, Math.ceil(total / 10));
    return await run(`noop-${Date.now()}`, total);
  });
  await connection.close();
  return rate;
}
