import { Context } from "@temporalio/activity";
import type { WorkflowHandle } from "@temporalio/client";
import type { ReplyOutcome, StepOutcome } from "../../core/model/workflow/agent.ts";
import { casesQueued } from "../../workflows/agent-cases.ts";
import { customerWrote, draftRequested, paused } from "../../workflows/agent-turn.ts";
import { eventually } from "../support/eventually.ts";
import type { AgentRun, ScriptFixture } from "../workflows/scripted-run.ts";

/** Every way a run of the agent can go, by the name of its history. */
export const agentScenarios: Record<string, (fixture: ScriptFixture) => Promise<WorkflowHandle>> = {
  "agent-cases-run": async (fixture) =>
    (await fixture.cases({ runNextCase: cases("passed", "failed", "none") })).handle,
  "agent-cases-queued-again": async (fixture) => {
    const gate = gateOf();
    const left = ["passed", "none", "passed"] as const;
    let calls = 0;
    const run = await fixture.cases({
      runNextCase: async () => {
        const state = left[calls] ?? "none";
        calls += 1;
        if (calls === 1) await gate.passed;
        return { state };
      },
    });
    await eventually(() => {
      if (calls === 0) throw new Error("not called yet");
    });
    await run.handle.signal(casesQueued);
    gate.open();
    return run.handle;
  },
  "agent-turn-replied": async (fixture) => (await fixture.agent()).handle,
  "agent-turn-idle": async (fixture) =>
    (await fixture.agent({ beginTurn: async () => ({ state: "idle" }) })).handle,
  "agent-turn-after-silence": async (fixture) => (await fixture.agent({}, 50)).handle,
  "agent-turn-with-tools": async (fixture) => {
    const modelStep = steps({ state: "calls", tools: ["find_slots", "add_note"] });
    return (await fixture.agent({ modelStep })).handle;
  },
  "agent-turn-handed-over-by-a-tool": async (fixture) => {
    const modelStep = steps({ state: "calls", tools: ["hand_off"] });
    const runTool = async () =>
      ({ state: "done", code: "ok", effect: false, handOver: "agent_decided" }) as const;
    return (await fixture.agent({ modelStep, runTool })).handle;
  },
  "agent-turn-paused-before-a-tool": async (fixture) => {
    const modelStep = steps({ state: "calls", tools: ["book_appointment"] });
    return (await fixture.agent({ modelStep, runTool: async () => ({ state: "paused" }) })).handle;
  },
  "agent-turn-model-failed": async (fixture) => {
    const modelStep = steps({ state: "failed", failure: "unavailable" });
    return (await fixture.agent({ modelStep })).handle;
  },
  "agent-turn-model-tried-again": async (fixture) => {
    const again = { state: "again", failure: "rate_limited" } as const;
    const modelStep = steps({ ...again, waitMs: 20 }, { ...again, waitMs: 0 });
    return (await fixture.agent({ modelStep })).handle;
  },
  "agent-turn-blocked-once": async (fixture) =>
    (await fixture.agent({ commitReply: replies("blocked") })).handle,
  "agent-turn-never-done": async (fixture) => {
    const calls: StepOutcome = { state: "calls", tools: ["find_slots"] };
    const modelStep = steps(...Array.from({ length: 6 }, () => calls));
    return (await fixture.agent({ modelStep })).handle;
  },
  "agent-turn-superseded": async (fixture) =>
    (await fixture.agent({ commitReply: replies("superseded") })).handle,
  "agent-turn-faults-of-ours": async (fixture) => {
    let faults = 0;
    const beginTurn = async () => {
      if ((faults += 1) < 4) throw new Error("a fault of ours");
      return { state: "go", turnId: 1 } as const;
    };
    return (await fixture.agent({ beginTurn })).handle;
  },
  "agent-turn-paused-in-a-step": async (fixture) => {
    const run = await fixture.agent({ modelStep: hanging() });
    await called(run, "modelStep");
    await run.handle.signal(paused);
    return run.handle;
  },
  "agent-turn-begun-again": async (fixture) => {
    const run = await fixture.agent({ modelStep: hanging() });
    await called(run, "modelStep");
    await run.handle.signal(customerWrote);
    return run.handle;
  },
  "agent-turn-answers-both": async (fixture) => {
    const gate = gateOf();
    const runTool = async () => {
      await gate.passed;
      return { state: "done", code: "ok", effect: true, handOver: null } as const;
    };
    const modelStep = steps({ state: "calls", tools: ["book_appointment"] });
    const run = await fixture.agent({ modelStep, runTool });
    await called(run, "runTool");
    await run.handle.signal(customerWrote);
    gate.open();
    return run.handle;
  },
  "agent-turn-draft-requested": async (fixture) => {
    const gate = gateOf();
    const runTool = async () => {
      await gate.passed;
      return { state: "done", code: "proposed", effect: false, handOver: null } as const;
    };
    const modelStep = steps({ state: "calls", tools: ["book_appointment"] });
    const commitReply = replies("drafted", "drafted");
    const run = await fixture.agent({ modelStep, runTool, commitReply });
    await called(run, "runTool");
    await run.handle.signal(draftRequested);
    gate.open();
    return run.handle;
  },
};

/** States of test cases one after the other, then `none`. */
export function cases(...states: ("passed" | "failed" | "none")[]) {
  const left = [...states];
  return async () => await Promise.resolve({ state: left.shift() ?? ("none" as const) });
}

/** Outcomes of steps one after the other, then replies. */
export function steps(...outcomes: StepOutcome[]) {
  const left = [...outcomes];
  return async () => await Promise.resolve(left.shift() ?? ({ state: "reply" } as const));
}

/** Outcomes of replies one after the other, then `replied`. */
export function replies(...states: ReplyOutcome["state"][]) {
  const left = [...states];
  return async () => await Promise.resolve({ state: left.shift() ?? ("replied" as const) });
}

/** A first step that ends only when it is cancelled. Later steps reply. */
export function hanging() {
  let calls = 0;
  return async (): Promise<StepOutcome> => {
    if ((calls += 1) > 1) return { state: "reply" };
    const { heartbeat, cancelled } = Context.current();
    const beats = setInterval(heartbeat, 100);
    return await cancelled.finally(() => clearInterval(beats));
  };
}

/** Waits until a run has called a step. */
export async function called(run: AgentRun, name: string): Promise<void> {
  await eventually(() => {
    if (!run.calls.includes(name)) throw new Error(run.calls.join());
  });
}

function gateOf() {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}
