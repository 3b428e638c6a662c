import { expect, test } from "vitest";
import {
  listUnansweredSteps,
  nextHandoffMoment,
  type HandoffReturn,
} from "../../core/model/workflow/handoff.ts";
import { ended, replied } from "../../workflows/handoff.ts";
import { eventually } from "../support/eventually.ts";
import { createGate, startTimeSkippingFixture } from "./fake-run.ts";
import { begun, createScriptFixture, storyOf, type HandoffRun } from "./scripted-run.ts";
import { useFixture } from "../support/use-fixture.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));

const minute = 60;
const hour = 60 * minute;
const hourMs = 3_600_000;

/** Waits for a number of activities, jumping over nothing. */
async function untilCalls({ calls }: HandoffRun, names: string[]): Promise<void> {
  await eventually(() => expect(calls).toEqual(names));
}

async function endRun({ handle }: HandoffRun): Promise<void> {
  await handle.signal(ended);
  expect(await handle.result()).toEqual({ state: "ended" });
}

test("nobody answers: a reminder after 10 minutes, an escalation after 60, and nothing more for a month", async () => {
  const run = await fixture.handoff();
  await run.until(30 * 24 * hour);
  await endRun(run);
  expect(await storyOf(run.handle)).toEqual([
    "beginHandoff",
    "wait 10 min",
    "remindHandoff",
    "wait 50 min",
    "escalateHandoff",
    "signal ended",
  ]);
});

test("the reminder is not a minute early, and neither is the escalation", async () => {
  const run = await fixture.handoff();
  await run.until(9 * minute);
  expect(run.calls).toEqual(["beginHandoff"]);
  await run.until(59 * minute);
  expect(run.calls).toEqual(["beginHandoff", "remindHandoff"]);
  await run.until(61 * minute);
  await untilCalls(run, ["beginHandoff", "remindHandoff", "escalateHandoff"]);
  await endRun(run);
});

test("a reply before the reminder stops both", async () => {
  const run = await fixture.handoff();
  await run.until(5 * minute);
  await run.handle.signal(replied);
  await run.until(3 * hour);
  await endRun(run);
  expect(await storyOf(run.handle)).toEqual([
    "beginHandoff",
    "wait 10 min",
    "signal replied",
    "cut",
    "signal ended",
  ]);
});

test("a reply between reminder and escalation stops the escalation", async () => {
  const run = await fixture.handoff();
  await run.until(30 * minute);
  await run.handle.signal(replied);
  await run.until(3 * hour);
  await endRun(run);
  expect(await storyOf(run.handle)).toEqual([
    "beginHandoff",
    "wait 10 min",
    "remindHandoff",
    "wait 50 min",
    "signal replied",
    "cut",
    "signal ended",
  ]);
});

test("a reply that only MySQL knows of, its signal still under way, stops the escalation too", async () => {
  const remindHandoff = async () => ({ state: "replied" }) as const;
  const run = await fixture.handoff({ remindHandoff });
  await run.until(3 * hour);
  await endRun(run);
  expect(run.calls).toEqual(["beginHandoff", "remindHandoff"]);
});

test("a pause by a person's own reply counts as replied: no reminder, no escalation", async () => {
  const beginHandoff = async () => ({ ...begun, replied: true });
  const run = await fixture.handoff({ beginHandoff });
  await run.until(3 * hour);
  await endRun(run);
  expect(await storyOf(run.handle)).toEqual(["beginHandoff", "signal ended"]);
});

test.each([
  { when: "before the reminder", at: 5 * minute, calls: ["beginHandoff"] },
  { when: "before the escalation", at: 30 * minute, calls: ["beginHandoff", "remindHandoff"] },
  {
    when: "after the escalation",
    at: 2 * hour,
    calls: ["beginHandoff", "remindHandoff", "escalateHandoff"],
  },
])("the end of the handoff $when ends the run", async ({ at, calls }) => {
  const run = await fixture.handoff();
  await run.until(at);
  await endRun(run);
  expect(run.calls).toEqual(calls);
});

test.each([
  { step: "beginHandoff", calls: ["beginHandoff"] },
  { step: "remindHandoff", calls: ["beginHandoff", "remindHandoff"] },
  { step: "escalateHandoff", calls: ["beginHandoff", "remindHandoff", "escalateHandoff"] },
])("the end of the handoff while $step is under way ends the run", async ({ step, calls }) => {
  const gate = createGate();
  const done = async () => {
    await gate.passed;
    return { state: "done" } as const;
  };
  const begin = async () => {
    await gate.passed;
    return begun;
  };
  const run = await fixture.handoff({ [step]: step === "beginHandoff" ? begin : done });
  // Time is jumped over while its end is waited for, but none while an activity is under way.
  const result = run.handle.result();
  await untilCalls(run, calls);
  await run.handle.signal(ended);
  gate.open();
  expect(await result).toEqual({ state: "ended" });
  expect(run.calls).toEqual(calls);
});

test.each(["remindHandoff", "escalateHandoff"])(
  "a run whose conversation is in another handoff by the time of %s completes",
  async (step) => {
    const over = async () => ({ state: "over" }) as const;
    const run = await fixture.handoff({ [step]: over });
    expect(await run.handle.result()).toEqual({ state: "over" });
    expect(run.calls.at(-1)).toBe(step);
  },
);

test("a run that begins when its handoff is past completes at once", async () => {
  const beginHandoff = async () => ({ current: false }) as const;
  const run = await fixture.handoff({ beginHandoff });
  expect(await run.handle.result()).toEqual({ state: "over" });
  expect(await storyOf(run.handle)).toEqual(["beginHandoff"]);
});

test.each([
  { signal: ended, story: ["signal ended", "beginHandoff"], left: [] },
  { signal: replied, story: ["signal replied", "beginHandoff"], left: ["signal ended"] },
])("the signal $signal.name before the start counts", async ({ signal, story, left }) => {
  const run = await fixture.handoff({}, signal);
  if (signal === replied) {
    await run.until(3 * hour);
    await run.handle.signal(ended);
  }
  expect(await run.handle.result()).toEqual({ state: "ended" });
  expect(await storyOf(run.handle)).toEqual([...story, ...left]);
});

test("a fault of our own is tried again and changes no wait", async () => {
  let faults = 0;
  const beginHandoff = async () => {
    if ((faults += 1) < 4) throw new Error("MySQL is away");
    return begun;
  };
  const run = await fixture.handoff({ beginHandoff });
  await run.until(2 * hour);
  await endRun(run);
  expect(await storyOf(run.handle)).toEqual([
    "beginHandoff",
    "wait 10 min",
    "remindHandoff",
    "wait 50 min",
    "escalateHandoff",
    "signal ended",
  ]);
});

/** Answers one after the other. */
function answering(answers: HandoffReturn[]) {
  return async () => answers.shift() ?? ({ state: "over" } as const);
}

test("the agent takes over again after the silence, which every reply begins anew", async () => {
  const beginHandoff = async () => ({ ...begun, replied: true, returnMs: 4 * hourMs });
  const returnToAgent = answering([
    { state: "waiting", waitMs: 4 * hourMs },
    { state: "waiting", waitMs: hourMs },
    { state: "waiting", waitMs: 30 * 60_000 },
    { state: "returned" },
  ]);
  const { handle } = await fixture.handoff({ beginHandoff, returnToAgent });
  expect(await handle.result()).toEqual({ state: "returned" });
  expect(await storyOf(handle)).toEqual([
    "beginHandoff",
    "returnToAgent",
    "wait 4 h",
    "returnToAgent",
    "wait 1 h",
    "returnToAgent",
    "wait 30 min",
    "returnToAgent",
  ]);
});

test("where nobody ever answers, the time before the escalation counts as silence", async () => {
  const beginHandoff = async () => ({ ...begun, returnMs: 4 * hourMs });
  const returnToAgent = answering([
    { state: "waiting", waitMs: 3 * hourMs },
    { state: "returned" },
  ]);
  const { handle } = await fixture.handoff({ beginHandoff, returnToAgent });
  expect(await handle.result()).toEqual({ state: "returned" });
  expect(await storyOf(handle)).toEqual([
    "beginHandoff",
    "wait 10 min",
    "remindHandoff",
    "wait 50 min",
    "escalateHandoff",
    "returnToAgent",
    "wait 3 h",
    "returnToAgent",
  ]);
});

test("the end of the handoff in the silence ends the run, and a handoff that is past completes it", async () => {
  const beginHandoff = async () => ({ ...begun, replied: true, returnMs: 4 * hourMs });
  const waiting = { state: "waiting", waitMs: 4 * hourMs } as const;
  const first = { beginHandoff, returnToAgent: answering([waiting, { state: "over" }]) };
  const { handle } = await fixture.handoff(first);
  expect(await handle.result()).toEqual({ state: "over" });
  const second = { beginHandoff, returnToAgent: answering([waiting]) };
  const run = await fixture.handoff(second);
  await run.until(hour);
  await endRun(run);
  expect(run.calls).toEqual(["beginHandoff", "returnToAgent"]);
});

test.each([
  { given: [10, 60, null], steps: ["remind 10", "escalate 50"] },
  { given: [10, 60, 61], steps: ["remind 10", "escalate 50"] },
  { given: [10, 60, 60], steps: ["remind 10"] },
  { given: [120, 180, 60], steps: [] },
  { given: [60, 10, null], steps: ["escalate 10", "remind 50"] },
])("steps for reminder, escalation and return after $given minutes: $steps", ({ given, steps }) => {
  const [remindMs = 0, escalateMs = 0, returnMs = null] = given.map((minutes) =>
    minutes === null ? null : minutes * 60_000,
  );
  const times = { remindMs: remindMs ?? 0, escalateMs: escalateMs ?? 0, returnMs };
  const listed = listUnansweredSteps(times).map((one) => `${one.step} ${one.waitMs / 60_000}`);
  expect(listed).toEqual(steps);
});

test("reminder and escalation at the same minute are both made", () => {
  const times = { remindMs: 600_000, escalateMs: 600_000, returnMs: null };
  expect(listUnansweredSteps(times)).toEqual([
    { step: "remind", waitMs: 600_000 },
    { step: "escalate", waitMs: 1 },
  ]);
});

test("a handoff whose run begins late goes on from where its times are", () => {
  const minute = 60_000;
  const times = { remindMs: 10 * minute, escalateMs: 60 * minute, returnMs: null };
  expect(listUnansweredSteps({ ...times, elapsedMs: 25 * minute })).toEqual([
    { step: "remind", waitMs: 1 },
    { step: "escalate", waitMs: 35 * minute },
  ]);
});

test.each([
  { when: "just begun", elapsed: 0, replied: null, returns: 120, next: 10 },
  { when: "reminded", elapsed: 10, replied: null, returns: 120, next: 60 },
  { when: "escalated", elapsed: 60, replied: null, returns: 120, next: 120 },
  { when: "escalated, with no return", elapsed: 60, replied: null, returns: null, next: null },
  { when: "answered", elapsed: 5, replied: 5, returns: 120, next: 125 },
  { when: "answered, with no return", elapsed: 5, replied: 5, returns: null, next: null },
])("what a handoff waits for when it has $when", ({ elapsed, replied, returns, next }) => {
  const at = (minutes: number) => new Date(1_000_000_000_000 + minutes * 60_000);
  const times = {
    remindMs: 600_000,
    escalateMs: 3_600_000,
    returnMs: returns === null ? null : returns * 60_000,
  };
  const moments = { handoffAt: at(0), repliedAt: replied === null ? null : at(replied) };
  expect(nextHandoffMoment(moments, times, at(elapsed))).toEqual(next === null ? null : at(next));
});
