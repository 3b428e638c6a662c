import type { Client, WorkflowHandle } from "@temporalio/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../core/log.ts";
import { plainNames } from "../../core/model/installation.ts";
import { createRunStates } from "../../worker/run-states.ts";
import { connectToNewNamespace } from "../support/worker.ts";

const log = createLog("test", "silent");
let namespace: string;
let client: Client;

beforeAll(async () => {
  client = await connectToNewNamespace();
  ({ namespace } = client.options);
});

afterAll(async () => await client.connection.close());

/** Starts a run whose workflow task fails so many times, as that of a history with a gap does. */
async function startFailing(name: string, failures: number): Promise<WorkflowHandle> {
  const run = await client.workflow.start("any", { workflowId: name, taskQueue: name, args: [] });
  const { workflowService } = client.connection;
  for (let count = 0; count < failures; count += 1) {
    const poll = { namespace, taskQueue: { name }, identity: "test" };
    const { taskToken } = await workflowService.pollWorkflowTaskQueue(poll);
    await workflowService.respondWorkflowTaskFailed({ namespace, taskToken, identity: "test" });
  }
  return run;
}

const readStates = async (...ids: string[]) =>
  Object.fromEntries(await createRunStates(client, plainNames, log, 3)(ids));

test("a run whose workflow task fails again and again is ended, and counts as closed", async () => {
  const stuck = await startFailing("stuck", 2);
  expect(await readStates("stuck")).toEqual({ stuck: "closed" });
  expect(await stuck.describe()).toMatchObject({ status: { name: "TERMINATED" } });
});

test("a run whose workflow task failed once, or that has no worker, is left alone", async () => {
  await startFailing("once", 1);
  await startFailing("never", 0);
  const running = { once: "running", never: "running" };
  expect(await readStates("once", "never")).toEqual(running);
  expect(await readStates("once", "never")).toEqual(running);
});

test("a run that has ended is closed, and one that Temporal does not know is missing", async () => {
  const ended = await startFailing("ended", 0);
  await ended.terminate();
  expect(await readStates("ended", "unknown")).toEqual({ ended: "closed", unknown: "missing" });
});
