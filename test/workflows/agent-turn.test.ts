import { ApplicationFailure, Context } from "@temporalio/activity";
import { expect, test } from "vitest";
import type { StepOutcome } from "../../core/model/workflow/agent.ts";
import { customerWrote, paused } from "../../workflows/agent-turn.ts";
import { called, hanging, replies, steps } from "../histories/agent-scenarios.ts";
import { useFixture } from "../support/use-fixture.ts";
import { createGate, startTimeSkippingFixture } from "./fake-run.ts";
import { createScriptFixture, storyOf } from "./scripted-run.ts";

const fixture = useFixture(async () => await createScriptFixture(await startTimeSkippingFixture()));
const effect = { state: "done", code: "ok", effect: true, handOver: null } as const;

test("a burst is answered by one step and one reply, and the run ends", async () => {
  const run = await fixture.agent();
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "replied" });
  expect(run.calls).toEqual(["beginTurn", "modelStep", "commitReply"]);
});

test("a customer who goes on writing is awaited", async () => {
  const run = await fixture.agent({}, 4_000);
  for (let message = 0; message < 3; message += 1) {
    await fixture.sleep(3_000);
    await run.handle.signal(customerWrote);
  }
  expect(run.calls).toEqual([]);
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "replied" });
});

test("tools run in their order, and the next step answers", async () => {
  const modelStep = steps({ state: "calls", tools: ["find_slots", "add_note"] });
  const run = await fixture.agent({ modelStep });
  await run.handle.result();
  expect(run.calls.slice(1)).toEqual([
    "modelStep",
    "runTool",
    "runTool",
    "modelStep",
    "commitReply",
  ]);
});

test("a pause during a step cuts the step, and nothing is said", async () => {
  const run = await fixture.agent({ modelStep: hanging() });
  await called(run, "modelStep");
  await run.handle.signal(paused);
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "paused" });
  expect(run.calls).toEqual(["beginTurn", "modelStep", "endTurn"]);
});

test("a message during a step begins the turn again, with one reply for both", async () => {
  const run = await fixture.agent({ modelStep: hanging() });
  await called(run, "modelStep");
  await run.handle.signal(customerWrote);
  expect(await run.handle.result()).toEqual({ turns: 2, outcome: "replied" });
  expect(run.calls.filter((name) => name === "commitReply")).toHaveLength(1);
});

test("after an effect the reply is committed although the customer wrote, and a further turn follows", async () => {
  const gate = createGate();
  const given: boolean[] = [];
  const run = await fixture.agent({
    modelStep: steps({ state: "calls", tools: ["book_appointment"] }),
    runTool: async () => {
      await gate.passed;
      return effect;
    },
    commitReply: async ({ allowNewer }) => {
      given.push(allowNewer);
      return await Promise.resolve({ state: "replied" });
    },
  });
  await called(run, "runTool");
  await run.handle.signal(customerWrote);
  gate.open();
  expect(await run.handle.result()).toEqual({ turns: 2, outcome: "replied" });
  expect(given).toEqual([true, false]);
});

test("after three restarts the reply stands although newer messages exist", async () => {
  const given: boolean[] = [];
  const outcomes = replies("superseded", "superseded", "superseded");
  const run = await fixture.agent({
    commitReply: async ({ allowNewer }) => {
      given.push(allowNewer);
      return await outcomes();
    },
  });
  expect(await run.handle.result()).toEqual({ turns: 4, outcome: "replied" });
  expect(given).toEqual([false, false, false, true]);
});

test("a model that hangs for 90 s hands over", async () => {
  const again = { state: "again", failure: "unavailable", waitMs: 20_000 } as const;
  const run = await fixture.agent({ modelStep: async () => await Promise.resolve(again) });
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "handed_off" });
  expect(run.calls.at(-1)).toBe("handOverTurn");
});

test("six steps without a reply hand over", async () => {
  const calls: StepOutcome = { state: "calls", tools: ["find_slots"] };
  const run = await fixture.agent({ modelStep: async () => await Promise.resolve(calls) });
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "handed_off" });
  expect(run.calls.filter((name) => name === "modelStep")).toHaveLength(6);
});

test("a provider that fails is tried again after its wait", async () => {
  const again = { state: "again", failure: "rate_limited" } as const;
  const run = await fixture.agent({ modelStep: steps({ ...again, waitMs: 5_000 }) });
  expect(await run.handle.result()).toMatchObject({ outcome: "replied" });
  expect(await storyOf(run.handle)).toContain("wait 5 s");
});

test("a cancelled step that ends with a fault of ours is cut all the same", async () => {
  const modelStep = async (): Promise<StepOutcome> => {
    const { heartbeat, cancelled } = Context.current();
    const beats = setInterval(heartbeat, 100);
    return await cancelled.catch(() => {
      clearInterval(beats);
      throw ApplicationFailure.nonRetryable("a fault of ours");
    });
  };
  const run = await fixture.agent({ modelStep });
  await called(run, "modelStep");
  await run.handle.signal(paused);
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "paused" });
});

test("a tool that fails for minutes hands over", async () => {
  const run = await fixture.agent({
    modelStep: steps({ state: "calls", tools: ["book_appointment"] }),
    runTool: async () => await Promise.reject(new Error("a fault of ours")),
  });
  expect(await run.handle.result()).toEqual({ turns: 1, outcome: "handed_off" });
  expect(run.calls.at(-1)).toBe("handOverTurn");
});
