import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { Activities } from "../../activities/index.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

type Walk = Parameters<Activities["holdDeliveriesBatch"]>[0]["walk"];

test.each([
  { workflow: "holdDeliveries", batch: "holdDeliveriesBatch", what: "held" },
  { workflow: "cancelDeliveries", batch: "cancelDeliveriesBatch", what: "cancelled" },
])("$workflow goes on where the batch before it ended", async ({ workflow, batch, what }) => {
  const taskQueue = randomUUID();
  const walk = { after: 20, changed: true };
  // The second batch is by an older worker, which knows no walk.
  const batches = [{ done: false, walk }, { done: false }, { done: true }];
  const asked: Walk[] = [];
  const activity = async (input: { walk?: Walk }) => {
    asked.push(input.walk);
    return await Promise.resolve({ [what]: 3, ...batches[asked.length - 1] });
  };
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: { [batch]: activity },
  });
  const result: unknown = await worker.runUntil(
    fixture.client.workflow.execute(workflow, {
      workflowId: `${workflow}-${taskQueue}`,
      taskQueue,
      args: [{ accountId: 1, subscriptionId: 7 }],
    }),
  );
  expect(result).toEqual({ [what]: 9 });
  expect(asked).toEqual([undefined, walk, undefined]);
});
