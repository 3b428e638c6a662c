import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { Activities } from "../../activities/index.ts";
import {
  maxPurgeSteps,
  retentionMs,
  type PurgeInput,
} from "../../core/model/workflow/retention.ts";
import type { purge } from "../../workflows/purge.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

async function run(purgeOld: Activities["purgeOld"]) {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: { purgeOld },
  });
  return await worker.runUntil(async () => {
    return await fixture.client.workflow.execute<typeof purge>("purge", {
      workflowId: `purge-${taskQueue}`,
      taskQueue,
      args: [],
    });
  });
}

test("every kind has its turn, attempts before deliveries before events, each until nothing is left", async () => {
  const asked: PurgeInput[] = [];
  const left = ["a", "b"];
  const { deleted } = await run(async (input) => {
    asked.push(input);
    const after = input.kind === "deliveries" ? (left.shift() ?? null) : null;
    return await Promise.resolve({ deleted: 10, after });
  });
  expect(asked.slice(0, 5)).toEqual([
    { kind: "delivery_attempts", after: null },
    { kind: "deliveries", after: null },
    { kind: "deliveries", after: "a" },
    { kind: "deliveries", after: "b" },
    { kind: "events", after: null },
  ]);
  expect(Object.keys(deleted)).toEqual(Object.keys(retentionMs));
  expect(deleted).toMatchObject({ deliveries: 30, events: 10 });
});

test("a backlog without end keeps no other kind from its turn", async () => {
  let steps = 0;
  const { deleted } = await run(async ({ kind }) => {
    steps += 1;
    const after = kind === "deliveries" ? "more" : null;
    return await Promise.resolve({ deleted: 1, after });
  });
  expect(deleted).toMatchObject({ deliveries: maxPurgeSteps, events: 1, worker_heartbeats: 1 });
  expect(steps).toBe(maxPurgeSteps + Object.keys(retentionMs).length - 1);
});

test("a fault of ours is repeated", async () => {
  let faults = 0;
  const { deleted } = await run(async () => {
    if ((faults += 1) < 4) throw new Error("no database");
    return await Promise.resolve({ deleted: 0, after: null });
  });
  expect(Object.keys(deleted)).toEqual(Object.keys(retentionMs));
});
