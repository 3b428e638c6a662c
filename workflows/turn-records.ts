import { CancellationScope, proxyActivities, proxyLocalActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type {
  AgentTurnInput,
  ReplyOutcome,
  TurnBegin,
  TurnRef,
} from "../core/model/workflow/agent.ts";
import { inTaskFirst } from "./in-task.ts";

// Steps in MySQL, which no cancellation interrupts: their fences decide alone.

const retry = { initialInterval: 500, maximumInterval: 10_000 };
const bounds = { startToCloseTimeout: 20_000 };
const inThisTask = proxyLocalActivities<Activities>({
  ...bounds,
  retry: { ...retry, maximumAttempts: 2 },
});
const onTheQueue = proxyActivities<Activities>({ ...bounds, retry });

type Steps = Pick<Activities, "beginTurn" | "commitReply" | "endTurn" | "handOverTurn">;

async function record<T>(step: (steps: Steps) => Promise<T>): Promise<T> {
  return await CancellationScope.nonCancellable(
    async () =>
      await inTaskFirst(
        () => step(inThisTask),
        () => step(onTheQueue),
      ),
  );
}

/** Begins a turn where an answer is owed. */
export async function beginTurn(input: AgentTurnInput): Promise<TurnBegin> {
  return await record((steps) => steps.beginTurn(input));
}

/** Commits the reply of a step, unless a fence or a guard refuses it. */
export async function commitReply(
  input: TurnRef & { seq: number; allowNewer: boolean },
): Promise<ReplyOutcome["state"]> {
  return (await record((steps) => steps.commitReply(input))).state;
}

/** Ends a turn without a reply. */
export async function endTurn(input: TurnRef & { outcome: "paused" | "superseded" }) {
  return (await record((steps) => steps.endTurn(input))).state;
}

/** Hands the conversation to a person. */
export async function handOverTurn(input: TurnRef & { reason: string }) {
  return (await record((steps) => steps.handOverTurn(input))).state;
}
