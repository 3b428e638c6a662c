import type { WorkflowHandle } from "@temporalio/client";
import type { HandoffReturn, HandoffStart } from "../../core/model/workflow/handoff.ts";
import type { SendOutcome } from "../../core/model/workflow/sending.ts";
import { ended, replied } from "../../workflows/handoff.ts";
import { eventually } from "../support/eventually.ts";
import { begun, storyOf, type HandoffRun, type ScriptFixture } from "../workflows/scripted-run.ts";

/** Every way a handoff and a message to the channel can go, by the name of its history. */
export const conversationScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "handoff-past-at-its-begin": async (fixture) => {
    const { handle } = await fixture.handoff({ beginHandoff: async () => ({ current: false }) });
    return handle;
  },
  "handoff-ended-before-the-reminder": async (fixture) => {
    const run = await fixture.handoff(start());
    return await end(run, ["beginHandoff", "wait 10 min"]);
  },
  "handoff-ended-before-the-escalation": async (fixture) => {
    const run = await fixture.handoff(start({ remindMs: 20 }));
    return await end(run, ["beginHandoff", "wait 20 ms", "remindHandoff", "wait 1 h"]);
  },
  "handoff-nobody-answers": async (fixture) => {
    const run = await fixture.handoff(start({ remindMs: 20, escalateMs: 40 }));
    return await end(run, ["beginHandoff", "wait 20 ms", "remindHandoff", "wait 20 ms", "escalateHandoff"]);
  },
  "handoff-escalation-before-the-reminder": async (fixture) => {
    const run = await fixture.handoff(start({ remindMs: 40, escalateMs: 20 }));
    return await end(run, ["beginHandoff", "wait 20 ms", "escalateHandoff", "wait 20 ms", "remindHandoff"]);
  },
  "handoff-replied-before-the-reminder": async (fixture) => {
    const run = await fixture.handoff(start());
    await reached(run, ["beginHandoff", "wait 10 min"]);
    await run.handle.signal(replied);
    return await end(run, ["beginHandoff", "wait 10 min", "signal replied", "cut"]);
  },
  "handoff-replied-before-the-escalation": async (fixture) => {
    const run = await fixture.handoff(start({ remindMs: 20 }));
    const story = ["beginHandoff", "wait 20 ms", "remindHandoff", "wait 1 h"];
    await reached(run, story);
    await run.handle.signal(replied);
    return await end(run, [...story, "signal replied", "cut"]);
  },
  "handoff-replied-without-a-signal": async (fixture) => {
    const remindHandoff = async () => ({ state: "replied" }) as const;
    const run = await fixture.handoff({ ...start({ remindMs: 20 }), remindHandoff });
    return await end(run, ["beginHandoff", "wait 20 ms", "remindHandoff"]);
  },
  "handoff-begun-by-a-reply": async (fixture) => {
    const run = await fixture.handoff(start({ replied: true }));
    return await end(run, ["beginHandoff"]);
  },
  "handoff-past-at-the-reminder": async (fixture) => {
    const remindHandoff = async () => ({ state: "over" }) as const;
    return (await fixture.handoff({ ...start({ remindMs: 20 }), remindHandoff })).handle;
  },
  "handoff-past-at-the-escalation": async (fixture) => {
    const escalateHandoff = async () => ({ state: "over" }) as const;
    const short = start({ remindMs: 20, escalateMs: 40 });
    return (await fixture.handoff({ ...short, escalateHandoff })).handle;
  },
  "handoff-ended-signal-first": async (fixture) => (await fixture.handoff(start(), ended)).handle,
  "handoff-replied-signal-first": async (fixture) => {
    return await end(await fixture.handoff(start(), replied), ["signal replied", "beginHandoff"]);
  },
  "handoff-faults-of-ours": async (fixture) => {
    let faults = 0;
    const beginHandoff = async () => {
      if ((faults += 1) < 3) throw new Error("a fault of ours");
      return begun;
    };
    const run = await fixture.handoff({ beginHandoff });
    return await end(run, ["beginHandoff", "wait 10 min"]);
  },
  "handoff-returned-after-a-reply": async (fixture) => {
    const answers = answering([wait(30), wait(20), { state: "returned" }]);
    return (await fixture.handoff({ ...start({ replied: true, returnMs: 50 }), ...answers })).handle;
  },
  "handoff-returned-after-the-escalation": async (fixture) => {
    const times = start({ remindMs: 20, escalateMs: 40, returnMs: 50 });
    return (await fixture.handoff({ ...times, ...answering([wait(10), { state: "returned" }]) }))
      .handle;
  },
  "handoff-returned-before-the-escalation": async (fixture) => {
    const times = start({ remindMs: 20, returnMs: 50 });
    return (await fixture.handoff({ ...times, ...answering([wait(30), { state: "returned" }]) }))
      .handle;
  },
  "handoff-past-in-the-silence": async (fixture) => {
    const answers = answering([wait(20), { state: "over" }]);
    return (await fixture.handoff({ ...start({ replied: true, returnMs: 50 }), ...answers })).handle;
  },
  "handoff-ended-in-the-silence": async (fixture) => {
    const times = start({ replied: true, returnMs: 60_000 });
    const run = await fixture.handoff({ ...times, ...answering([wait(60_000)]) });
    return await end(run, ["beginHandoff", "returnToAgent", "wait 1 min"]);
  },
  "send-message-sent": async (fixture) =>
    (await fixture.message([{ state: "sent", reports: ["delivered", "read"] }])).handle,
  "send-message-sent-in-silence": async (fixture) =>
    (await fixture.message([{ state: "sent", reports: [] }])).handle,
  "send-message-sent-after-waits": async (fixture) => {
    const { handle } = await fixture.message([
      { state: "waiting", waitMs: 20, why: "order" },
      { state: "waiting", waitMs: 20, why: "channel" },
      { state: "sent", reports: [] },
    ]);
    return handle;
  },
  "send-message-begins-anew": async (fixture) => {
    const waiting: SendOutcome = { state: "waiting", waitMs: 20, why: "order" };
    const outcomes = Array.from({ length: 30 }, () => waiting);
    const { handle } = await fixture.message([...outcomes, { state: "sent", reports: [] }]);
    await handle.result();
    const { events } = await handle.fetchHistory();
    const begun = events?.[0]?.workflowExecutionStartedEventAttributes;
    const runId = begun?.firstExecutionRunId ?? "";
    return fixture.client.workflow.getHandle(handle.workflowId, runId);
  },
  "send-message-with-a-file": async (fixture) => {
    const { handle } = await fixture.message(
      [
        { state: "waiting", waitMs: 20, why: "file" },
        { state: "upload" },
        { state: "waiting", waitMs: 0, why: "caption" },
        { state: "sent", reports: [] },
      ],
      { uploadToChannel: async () => ({ state: "waiting", waitMs: 0, why: "file" }) },
    );
    return handle;
  },
  "send-message-failed": async (fixture) => (await fixture.message([{ state: "failed" }])).handle,
  "send-message-held": async (fixture) => {
    const { handle } = await fixture.message([
      { state: "waiting", waitMs: 20, why: "pace" },
      { state: "held" },
    ]);
    return handle;
  },
  "send-message-cancelled": async (fixture) => (await fixture.message([{ state: "cancelled" }])).handle,
  "send-message-cancelled-in-temporal": async (fixture) => {
    const { handle, calls } = await fixture.message([
      { state: "waiting", waitMs: 60_000, why: "channel" },
    ]);
    await eventually(() => {
      if (calls.length === 0) throw new Error("not called yet");
    });
    await handle.cancel();
    return handle;
  },
  "send-message-over": async (fixture) => (await fixture.message([{ state: "over" }])).handle,
  "send-message-faults-of-ours": async (fixture) => {
    let faults = 0;
    const { handle } = await fixture.message([], {
      sendToChannel: async () => {
        if ((faults += 1) < 3) throw new Error("a fault of ours");
        return { state: "sent", reports: [] };
      },
    });
    return handle;
  },
};

/** The ways with a wait that only a server that skips time gets through. */
export const longConversationScenarios: typeof conversationScenarios = {
  "send-message-unknown": async (fixture) => (await fixture.message([{ state: "unknown" }])).handle,
};

function start(given: Partial<Extract<HandoffStart, { current: true }>> = {}) {
  return { beginHandoff: async () => ({ ...begun, ...given }) };
}

function wait(waitMs: number): HandoffReturn {
  return { state: "waiting", waitMs };
}

function answering(answers: HandoffReturn[]) {
  const left = [...answers];
  return { returnToAgent: async () => left.shift() ?? ({ state: "over" } as const) };
}

/** Until the run has got that far. */
async function reached({ handle }: HandoffRun, story: string[]): Promise<void> {
  await eventually(async () => {
    const told = await storyOf(handle);
    if (told.join() !== story.join()) throw new Error(told.join());
  });
}

async function end(run: HandoffRun, story: string[]): Promise<WorkflowHandle> {
  await reached(run, story);
  await run.handle.signal(ended);
  return run.handle;
}
