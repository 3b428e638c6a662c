import {
  condition,
  continueAsNew,
  defineSignal,
  setHandler,
  workflowInfo,
} from "@temporalio/workflow";
import {
  burstCapMs,
  maxTurnsOfRun,
  type AgentTurnInput,
  type TurnResult,
} from "../core/model/workflow/agent.ts";
import { answer } from "./answer-customer.ts";
import { mayRestart, type TurnState } from "./turn-state.ts";

/** The customer has written. */
export const customerWrote = defineSignal("customerWrote");
/** A person asks for a draft. */
export const draftRequested = defineSignal("draftRequested");
/** A person has taken over. */
export const paused = defineSignal("paused");

/**
 * The agent of one conversation, for as long as answers are owed. Signals are hints: every step
 * reads MySQL before it acts. A pause cuts the step in progress. Further messages of the customer
 * begin the turn again, until it has made an effect.
 */
export async function agentTurn(
  input: AgentTurnInput,
): Promise<{ turns: number; outcome: TurnResult }> {
  const state: TurnState = { wrote: 0, cut: false, restarts: 0, effects: false, step: null };
  setHandler(customerWrote, () => {
    state.wrote += 1;
    if (mayRestart(state)) state.step?.cancel();
  });
  setHandler(draftRequested, () => {
    state.wrote += 1;
  });
  setHandler(paused, () => {
    state.cut = true;
    state.step?.cancel();
  });
  for (let turns = 1; ; turns += 1) {
    await awaitSilence(input.quietMs, () => state.wrote);
    const seen = state.wrote;
    const outcome = await answer(input, state);
    state.restarts = outcome === "superseded" ? state.restarts + 1 : 0;
    if (state.wrote === seen && outcome !== "superseded") return { turns, outcome };
    if (turns >= maxTurnsOfRun || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof agentTurn>(input);
    }
  }
}

/** Waits until the customer has been silent for `quietMs`, 15 s at most. */
async function awaitSilence(quietMs: number, wrote: () => number): Promise<void> {
  const rounds = quietMs === 0 ? 0 : Math.ceil(burstCapMs / quietMs);
  for (let round = 0; round < rounds; round += 1) {
    const seen = wrote();
    const summary = "wait until the customer is silent";
    if (!(await condition(() => wrote() !== seen, quietMs, { summary }))) return;
  }
}
