import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { DeliveryWalk } from "../../activities/delivery-walk.ts";
import type { Activities } from "../../activities/index.ts";
import type { resumeDeliveries } from "../../workflows/resume-deliveries.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

type Batch = Activities["resumeDeliveriesBatch"];

async function run(resumeDeliveriesBatch: Batch, walk?: DeliveryWalk) {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: { resumeDeliveriesBatch },
  });
  return await worker.runUntil(async () => {
    return await fixture.client.workflow.execute<typeof resumeDeliveries>("resumeDeliveries", {
      workflowId: `resume-${taskQueue}`,
      taskQueue,
      args: [{ accountId: 1, subscriptionId: 7, walk }],
    });
  });
}

/** The place behind an id. */
const placeBehind = (after: number): DeliveryWalk => ({ after, changed: true });

test("each batch goes on behind the one before, and the second sweep begins anew", async () => {
  const asked: (number | undefined)[] = [];
  const ends = [20, 30, undefined, 40, undefined];
  const { resumed } = await run(async (input) => {
    asked.push(input.walk?.after);
    const after = ends[asked.length - 1];
    const rest = after === undefined ? { done: true } : { done: false, walk: placeBehind(after) };
    return await Promise.resolve({ resumed: 1, ...rest });
  }, placeBehind(10));
  expect(asked).toEqual([10, 20, 30, undefined, 40]);
  expect(resumed).toBe(5);
});

test("a batch that an older worker made does not say where it ended, and the next begins anew", async () => {
  const asked: (DeliveryWalk | undefined)[] = [];
  await run(async (input) => {
    asked.push(input.walk);
    return await Promise.resolve({ resumed: 1, done: asked.length > 1 });
  });
  expect(asked).toEqual([undefined, undefined, undefined]);
});
