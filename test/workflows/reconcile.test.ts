import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { ReconcileInput } from "../../core/model/workflow/reconcile.ts";
import type { reconcile } from "../../workflows/reconcile.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

test("each page is told of the subscriptions that the round has taken up", async () => {
  const asked: ReconcileInput[] = [];
  const pages = [
    { after: 10, takenUp: [1, 2] },
    { after: 20 },
    { after: 30, takenUp: [3] },
    { after: null },
  ];
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: {
      reconcileDeliveries: async (input: ReconcileInput) => {
        asked.push(input);
        const found = { checked: 1, restarted: 0, discarded: 0 };
        return await Promise.resolve({ ...found, ...pages[asked.length - 1] });
      },
      recoverRuns: async () => await Promise.resolve({ restarted: 0, next: null }),
      countDeliveries: async () => await Promise.resolve(),
    },
  });
  const result = await worker.runUntil(
    async () =>
      await fixture.client.workflow.execute<typeof reconcile>("reconcile", {
        workflowId: `reconcile-${taskQueue}`,
        taskQueue,
        args: [],
      }),
  );
  expect(asked).toEqual([
    { after: 0, takenUp: [] },
    { after: 10, takenUp: [1, 2] },
    { after: 20, takenUp: [1, 2] },
    { after: 30, takenUp: [1, 2, 3] },
  ]);
  expect(result).toEqual({ checked: 4, restarted: 0, discarded: 0, recovered: 0 });
});
