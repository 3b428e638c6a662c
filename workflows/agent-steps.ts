import { ActivityFailure, CancellationScope, proxyActivities, sleep } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { StepOutcome, TurnRef } from "../core/model/workflow/agent.ts";
import { formatWait } from "../core/model/workflow/delivery.ts";

type StepRef = TurnRef & { seq: number };

const retry = { initialInterval: 500, maximumInterval: 10_000 };
const { modelStep } = proxyActivities<Activities>({
  startToCloseTimeout: 50_000,
  heartbeatTimeout: 10_000,
  // The run goes on only once the provider's connection is closed.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
  retry,
});
const { runTool } = proxyActivities<Activities>({
  startToCloseTimeout: 20_000,
  // Longer than an outage of a minute. After that a person goes on.
  scheduleToCloseTimeout: 180_000,
  retry,
});

/** Makes one model step, with further tries and further providers while the model fails. */
export async function takeStep(input: StepRef): Promise<Exclude<StepOutcome, { state: "again" }>> {
  for (;;) {
    const summary = `model step ${input.seq}`;
    const outcome = await modelStep.executeWithOptions({ summary }, [input]);
    if (outcome.state !== "again") return outcome;
    if (outcome.waitMs === 0) continue;
    const why = `wait ${formatWait(outcome.waitMs)} after "${outcome.failure}"`;
    await sleep(outcome.waitMs, { summary: why });
  }
}

/** Outcome of the calls of a step. */
interface CallsOutcome {
  paused: boolean;
  /** Something changed that the customer must be told of. */
  effect: boolean;
  /** Reason why a person goes on, or null. */
  handOver: string | null;
}

/** Runs the tool calls of a step in their order. No cancellation interrupts a call. */
export async function runTools(input: StepRef, tools: readonly string[]): Promise<CallsOutcome> {
  let effect = false;
  for (const [position, tool] of tools.entries()) {
    const call = { ...input, position };
    const outcome = await CancellationScope.nonCancellable(() =>
      runTool.executeWithOptions({ summary: `tool ${tool}` }, [call]),
    ).catch((error: unknown) => {
      if (!(error instanceof ActivityFailure)) throw error;
      return { state: "done", effect: false, handOver: "tool_failed" } as const;
    });
    if (outcome.state === "paused") return { paused: true, effect, handOver: null };
    effect ||= outcome.effect;
    if (outcome.handOver !== null) return { paused: false, effect, handOver: outcome.handOver };
  }
  return { paused: false, effect, handOver: null };
}
