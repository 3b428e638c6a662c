import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { sendWaitsMs, type SendOutcome } from "../../core/model/workflow/sending.ts";
import { createGate, startRealTimeFixture, startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));
const realStage = useFixture(async () => await createScriptFixture(await startRealTimeFixture()));

const inTrouble: SendOutcome[] = sendWaitsMs.map((waitMs) => {
  return { state: "waiting", waitMs, why: "channel" };
});

test("a channel in trouble is tried after 1 s, 5 s, 30 s, 2 min and 10 min, and then no more", async () => {
  const { handle } = await fixture.message([...inTrouble, { state: "failed" }]);
  expect(await handle.result()).toEqual({ state: "failed" });
  expect(await storyOf(handle)).toEqual([
    "sendToChannel",
    "wait 1 s",
    "sendToChannel",
    "wait 5 s",
    "sendToChannel",
    "wait 30 s",
    "sendToChannel",
    "wait 2 min",
    "sendToChannel",
    "wait 10 min",
    "sendToChannel",
  ]);
});

test("a message waits for an older one as long as it is told to", async () => {
  const behind: SendOutcome = { state: "waiting", waitMs: 300, why: "order" };
  const { handle } = await fixture.message([behind, behind, { state: "sent", reports: [] }]);
  expect(await handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(handle)).toEqual([
    "sendToChannel",
    "wait 300 ms",
    "sendToChannel",
    "wait 300 ms",
    "sendToChannel",
  ]);
});

test("a file that is fetched, then uploaded, and a caption behind it are steps of one run", async () => {
  const uploads: SendOutcome[] = [
    { state: "waiting", waitMs: 1_000, why: "channel" },
    { state: "waiting", waitMs: 0, why: "file" },
  ];
  const outcomes: SendOutcome[] = [
    { state: "waiting", waitMs: 500, why: "file" },
    { state: "upload" },
    { state: "upload" },
    { state: "waiting", waitMs: 0, why: "caption" },
    { state: "sent", reports: [] },
  ];
  const { handle } = await fixture.message(outcomes, {
    uploadToChannel: async () => uploads.shift() ?? { state: "over" },
  });
  expect(await handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(handle)).toEqual([
    "sendToChannel",
    "wait 500 ms",
    "sendToChannel",
    "uploadToChannel",
    "wait 1 s",
    "sendToChannel",
    "uploadToChannel",
    "wait 1 ms",
    "sendToChannel",
    "wait 1 ms",
    "sendToChannel",
  ]);
});

test.each(["failed", "held"] as const)("an upload that is %s ends the run", async (state) => {
  const { handle } = await fixture.message([{ state: "upload" }], {
    uploadToChannel: async () => ({ state }),
  });
  expect(await handle.result()).toEqual({ state });
  expect(await storyOf(handle)).toEqual(["sendToChannel", "uploadToChannel"]);
});

test("a message that may have arrived is not sent again: after 10 min it is given up, once", async () => {
  const { handle } = await fixture.message([{ state: "unknown" }]);
  expect(await handle.result()).toEqual({ state: "unknown" });
  expect(await storyOf(handle)).toEqual(["sendToChannel", "wait 10 min", "endUnknownSend"]);
});

test("reports are recorded in their order, each after a pause", async () => {
  const reported: string[] = [];
  const outcome: SendOutcome = { state: "sent", reports: ["delivered", "read"] };
  const { handle, input } = await fixture.message([outcome], {
    recordReport: async ({ status, messageId }) => void reported.push(`${messageId} ${status}`),
  });
  expect(await handle.result()).toEqual({ state: "sent" });
  expect(await storyOf(handle)).toEqual([
    "sendToChannel",
    "wait 500 ms",
    "recordReport",
    "wait 500 ms",
    "recordReport",
  ]);
  expect(reported).toEqual([`${input.messageId} delivered`, `${input.messageId} read`]);
});

test.each(["failed", "cancelled", "over", "held"] as const)(
  "a message that turns out to be %s ends its run at once",
  async (state) => {
    const { handle } = await fixture.message([{ state }]);
    expect(await handle.result()).toEqual({ state });
    expect(await storyOf(handle)).toEqual(["sendToChannel"]);
  },
);

// The server that skips time may lose the tasks of a run that is cancelled in the middle of an activity.
test.each([
  { when: "while it waits", story: ["sendToChannel", "wait 10 min"] },
  { when: "while it is handed over", story: [] },
])(
  "a run cancelled in Temporal $when cancels its message, which then goes nowhere",
  async (given) => {
    const gate = createGate();
    const waiting = { state: "waiting", waitMs: 600_000, why: "channel" } as const;
    const isUnderWay = given.story.length === 0;
    const { handle, calls } = await realStage.message([waiting], {
      sendToChannel: async () => {
        if (isUnderWay) await gate.passed;
        return waiting;
      },
    });
    await eventually(async () => {
      expect(calls).toEqual(["sendToChannel"]);
      expect(await storyOf(handle)).toEqual(given.story);
    });
    await handle.cancel();
    gate.open();
    expect(await handle.result()).toEqual({ state: "cancelled" });
    expect(calls).toEqual(["sendToChannel", "cancelSend"]);
  },
);

test("a fault of our own is tried again, and the message goes on as it then stands", async () => {
  let faults = 0;
  const { handle, calls } = await fixture.message([], {
    sendToChannel: async () => {
      if ((faults += 1) < 4) throw new Error("MySQL is away");
      return { state: "unknown" };
    },
  });
  expect(await handle.result()).toEqual({ state: "unknown" });
  expect(calls).toEqual([...Array.from({ length: 4 }, () => "sendToChannel"), "endUnknownSend"]);
});
