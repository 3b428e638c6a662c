import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import {
  reconcilePagesOfRun,
  type ReconcileInput,
  type ReconcileProgress,
  type RecoverInput,
  type RecoverProgress,
} from "../../core/model/workflow/reconcile.ts";
import type { reconcile } from "../../workflows/reconcile.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

/** Runs one round with fake steps. */
async function runRound(activities: {
  reconcileDeliveries: (input: ReconcileInput) => Promise<ReconcileProgress>;
  recoverRuns?: (input: RecoverInput) => Promise<RecoverProgress>;
}) {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: {
      recoverRuns: async () => await Promise.resolve({ restarted: 0, next: null }),
      countDeliveries: async () => await Promise.resolve(),
      ...activities,
    },
  });
  const options = { workflowId: `reconcile-${taskQueue}`, taskQueue };
  return await worker.runUntil(async () => {
    const { workflow } = fixture.client;
    return await workflow.execute<typeof reconcile>("reconcile", { ...options, args: [] });
  });
}

const found = { checked: 1, restarted: 0, discarded: 0 };

test("each page is told of the subscriptions that the round has taken up", async () => {
  const asked: ReconcileInput[] = [];
  const pages = [
    { after: 10, takenUp: [1, 2] },
    { after: 20 },
    { after: 30, takenUp: [3] },
    { after: null },
  ];
  const result = await runRound({
    reconcileDeliveries: async (input) => {
      asked.push(input);
      return await Promise.resolve({ ...found, after: null, ...pages[asked.length - 1] });
    },
  });
  expect(asked).toEqual([
    { after: 0, takenUp: [] },
    { after: 10, takenUp: [1, 2] },
    { after: 20, takenUp: [1, 2] },
    { after: 30, takenUp: [1, 2, 3] },
  ]);
  expect(result).toEqual({ checked: 4, restarted: 0, discarded: 0, recovered: 0 });
});

test("other kinds are looked through with each part of a long list of deliveries", async () => {
  const pages = 2 * reconcilePagesOfRun + 1;
  const order: string[] = [];
  await runRound({
    reconcileDeliveries: async ({ after }) => {
      if (order.at(-1) !== "deliveries") order.push("deliveries");
      return await Promise.resolve({ ...found, after: after + 1 < pages ? after + 1 : null });
    },
    recoverRuns: async () => {
      order.push("kinds");
      return await Promise.resolve({ restarted: 0, next: null });
    },
  });
  const part = ["deliveries", "kinds"];
  expect(order).toEqual([...part, ...part, ...part]);
});

test("a round goes on to the last late run of each kind, however many there are", async () => {
  const pages = reconcilePagesOfRun + 5;
  const asked: number[] = [];
  const kinds: number[] = [];
  const result = await runRound({
    reconcileDeliveries: async ({ after, takenUp }) => {
      asked.push(after);
      const next = after + 1 < pages ? after + 1 : null;
      const taken = takenUp?.length === 0 ? { takenUp: [7] } : {};
      return await Promise.resolve({ ...found, ...taken, after: next });
    },
    recoverRuns: async ({ after }) => {
      kinds.push(after);
      const next = after + 1 < pages ? { kind: "message", after: after + 1 } : null;
      return await Promise.resolve({ restarted: 1, next });
    },
  });
  const each = Array.from({ length: pages }, (_, index) => index);
  expect([asked, kinds]).toEqual([each, each]);
  expect(result).toEqual({ checked: pages, restarted: 0, discarded: 0, recovered: pages });
});
