import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Activities } from "../../activities/index.ts";
import type { EraseEventsInput } from "../../core/model/erasure.ts";
import type { eraseContact } from "../../workflows/erase-contact.ts";
import { startTimeSkippingRig, type Rig } from "./fake-run.ts";
import { storyOf } from "./scripted-run.ts";

let rig: Rig;

beforeAll(async () => {
  rig = await startTimeSkippingRig();
});

afterAll(async () => await rig.stop());

/** Runs an erasure of the contacts 7 and 5 on these steps. */
async function run(steps: Pick<Activities, "eraseContactRows" | "eraseContactEvents">) {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: rig.connection,
    namespace: rig.client.options.namespace,
    taskQueue,
    workflowBundle: rig.workflowBundle,
    activities: steps,
  });
  const input = { accountId: 1, contactIds: [7, 5], conversationIds: [3], waitMs: 60_000 };
  return await worker.runUntil(async () => {
    const handle = await rig.client.workflow.start<typeof eraseContact>("eraseContact", {
      workflowId: `erase-${taskQueue}`,
      taskQueue,
      args: [input],
    });
    return { result: await handle.result(), story: await storyOf(handle) };
  });
}

test("rows go before events, contact by contact, and after a minute everything is looked at again", async () => {
  const asked: EraseEventsInput[] = [];
  const left: Record<number, string[]> = { 7: ["0a", "0b"], 5: [] };
  let rows = 0;
  const { result, story } = await run({
    eraseContactRows: async () => ({ done: (rows += 1) !== 1 }),
    eraseContactEvents: async (input) => {
      asked.push(input);
      return { erased: 10, after: left[input.contactId]?.shift() ?? null };
    },
  });
  expect(result).toEqual({ events: 60 });
  expect(story).toEqual([
    "eraseContactRows",
    "eraseContactRows",
    ...Array<string>(4).fill("eraseContactEvents"),
    "wait 1 min",
    "eraseContactRows",
    ...Array<string>(2).fill("eraseContactEvents"),
  ]);
  expect(asked.map(({ contactId, after }) => [contactId, after])).toEqual([
    [7, null],
    [7, "0a"],
    [7, "0b"],
    [5, null],
    [7, null],
    [5, null],
  ]);
});

test("a fault of ours is repeated until the step is done", async () => {
  let faults = 0;
  const { result } = await run({
    eraseContactRows: async () => {
      if ((faults += 1) < 4) throw new Error("no database");
      return { done: true };
    },
    eraseContactEvents: async () => ({ erased: 1, after: null }),
  });
  expect(result).toEqual({ events: 4 });
});
