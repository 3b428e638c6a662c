import { CancellationScope, isCancellation, setCurrentDetails } from "@temporalio/workflow";
import {
  maxSteps,
  turnLimitMs,
  type AgentTurnInput,
  type TurnRef,
  type TurnResult,
} from "../core/model/workflow/agent.ts";
import { runTools, takeStep } from "./agent-steps.ts";
import { inScope, mayRestart, type TurnState } from "./turn-state.ts";
import { beginTurn, commitReply, endTurn, handOverTurn } from "./turn-records.ts";

/** One turn, from the burst to its end. */
export async function answer(input: AgentTurnInput, state: TurnState): Promise<TurnResult> {
  Object.assign(state, { cut: false, effects: false });
  const seen = state.wrote;
  const begun = await beginTurn(input);
  if (begun.state !== "go") return begun.state;
  const turn = { ...input, turnId: begun.turnId };
  try {
    return await CancellationScope.withTimeout(turnLimitMs, () => think(turn, state));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    if (state.cut) return await endTurn({ ...turn, outcome: "paused" });
    if (state.wrote === seen) return await handOverTurn({ ...turn, reason: "ai_timeout" });
    return await endTurn({ ...turn, outcome: "superseded" });
  }
}

async function think(turn: TurnRef, state: TurnState): Promise<TurnResult> {
  for (let seq = 1; seq <= maxSteps; seq += 1) {
    setCurrentDetails(`Model step ${seq}.`);
    const step = await inScope(state, () => takeStep({ ...turn, seq }));
    if (step.state === "failed") return await handOverTurn({ ...turn, reason: "ai_error" });
    if (step.state === "reply") {
      const allowNewer = !mayRestart(state);
      const outcome = await commitReply({ ...turn, seq, allowNewer });
      if (outcome === "blocked") continue;
      return outcome;
    }
    const calls = await runTools({ ...turn, seq }, step.tools);
    state.effects ||= calls.effect;
    if (calls.paused) return await endTurn({ ...turn, outcome: "paused" });
    if (calls.handOver !== null) return await handOverTurn({ ...turn, reason: calls.handOver });
  }
  return await handOverTurn({ ...turn, reason: "limits" });
}
