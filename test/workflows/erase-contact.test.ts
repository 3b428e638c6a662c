import { randomUUID } from "node:crypto";
import { Worker } from "@temporalio/worker";
import { expect, test } from "vitest";
import type { Activities } from "../../activities/index.ts";
import type { EraseEventsInput, ForgetCallsInput } from "../../core/model/erasure.ts";
import type { eraseContact } from "../../workflows/erase-contact.ts";
import { startTimeSkippingFixture } from "./fake-run.ts";
import { storyOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(startTimeSkippingFixture);

type Steps = Pick<
  Activities,
  "eraseContactRows" | "eraseContactEvents" | "forgetRefusedCalls" | "endContactErasure"
>;

/** Runs an erasure of the contacts 7 and 5 on these steps. */
async function run(steps: Steps) {
  const taskQueue = randomUUID();
  const worker = await Worker.create({
    connection: fixture.connection,
    namespace: fixture.client.options.namespace,
    taskQueue,
    workflowBundle: fixture.workflowBundle,
    activities: steps,
  });
  const input = { accountId: 1, contactIds: [7, 5], conversationIds: [3], waitMs: 60_000 };
  return await worker.runUntil(async () => {
    const handle = await fixture.client.workflow.start<typeof eraseContact>("eraseContact", {
      workflowId: `erase-${taskQueue}`,
      taskQueue,
      args: [input],
    });
    return { result: await handle.result(), story: await storyOf(handle) };
  });
}

const noCalls: Pick<Steps, "forgetRefusedCalls" | "endContactErasure"> = {
  forgetRefusedCalls: async ({ after }) => await Promise.resolve({ after, done: true }),
  endContactErasure: async () => await Promise.resolve(),
};

test("rows go before events, contact by contact, and after a minute everything is looked at again", async () => {
  const asked: EraseEventsInput[] = [];
  const searched: ForgetCallsInput[] = [];
  const ended: object[] = [];
  const left: Record<number, string[]> = { 7: ["0a", "0b"], 5: [] };
  let rows = 0;
  const { result, story } = await run({
    eraseContactRows: async () => ({ done: (rows += 1) !== 1 }),
    eraseContactEvents: async (input) => {
      asked.push(input);
      return { erased: 10, after: left[input.contactId]?.shift() ?? null };
    },
    forgetRefusedCalls: async (input) => {
      searched.push(input);
      return { after: input.after + 100, done: input.after > 0 };
    },
    endContactErasure: async (input) => void ended.push(input),
  });
  expect(result).toEqual({ events: 60 });
  expect(story).toEqual([
    "eraseContactRows",
    "eraseContactRows",
    ...Array<string>(4).fill("eraseContactEvents"),
    ...Array<string>(2).fill("forgetRefusedCalls"),
    "wait 1 min",
    "eraseContactRows",
    ...Array<string>(2).fill("eraseContactEvents"),
    "forgetRefusedCalls",
    "endContactErasure",
  ]);
  expect(searched.map(({ after }) => after)).toEqual([0, 100, 200]);
  expect(ended).toEqual([{ accountId: 1, contactId: 7 }]);
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
    ...noCalls,
  });
  expect(result).toEqual({ events: 4 });
});
