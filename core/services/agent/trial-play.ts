import { AgentProvider } from "../../../db/entities/agent.ts";
import { AgentToolCall } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import { basicStep } from "../../agent/basic/basic-agent.ts";
import type { AgentContext } from "../../agent/context.ts";
import type { StepOutput } from "../../agent/step.ts";
import { AppError } from "../../errors.ts";
import { maxSteps, type TurnRef } from "../../model/workflow/agent.ts";
import { findOwned, getOwned } from "../sql.ts";
import { handOverTurn } from "./handover.ts";
import { commitReply } from "./reply.ts";
import { beginStep, storeOutput } from "./steps.ts";
import type { Trial, TrialLine, TrialStep } from "./trial.ts";
import { presentSilence, presentTrialLine, type PlayedLine } from "./trial-views.ts";
import { giveToAgent, prepareTrial, writeLine, type TrialCustomer } from "./trial-customer.ts";
import { runTurnTool } from "./turn-tools.ts";
import { beginTurn } from "./turns.ts";

/** A step that a model must answer next. */
export interface OpenStep {
  state: "ask";
  context: AgentContext;
  provider: AgentProvider;
  repair: string | null;
  /** Ids of the trial's appointments, as the context has them. */
  appointmentIds: number[];
}

type Played = OpenStep | { state: "done"; line: PlayedLine };

/**
 * Plays a trial from its first line: the customer writes, known steps answer from the trial, and
 * their tools run again. The caller rolls all of it back. So the next play finds the effects of
 * the earlier tools, and no transaction waits for a model. The built-in agent answers at once, and
 * its steps are added to the trial.
 * @throws AppError `trial_changed` where an earlier line no longer ends as it did;
 * `contact_not_found`, `agent_provider_not_found`, `channel_not_connected`
 */
export async function playTrial(given: Tx, trial: Trial): Promise<Played> {
  const made: number[] = [];
  let customer: TrialCustomer | null = null;
  let played: Played | null = null;
  for (const line of trial.lines) {
    if (played?.state === "ask") throw new AppError("trial_changed");
    const tx: Tx = { ...given, now: new Date(line.at) };
    const isFirst = customer === null;
    customer ??= await prepareTrial(tx, trial);
    const conversationId = await writeLine(tx, customer, line.text);
    if (isFirst) await giveToAgent(tx, conversationId);
    played = await playLine(tx, { line, conversationId, made });
  }
  if (played === null) throw new Error("A trial has a line.");
  return played;
}

/** A line under way, with the ids of the appointments that the trial has made so far. */
interface LinePlay {
  line: TrialLine;
  conversationId: number;
  made: number[];
}

async function playLine(tx: Tx, play: LinePlay): Promise<Played> {
  const { accountId } = tx.actor;
  const { conversationId } = play;
  const begun = await beginTurn(tx, { accountId, conversationId, quietMs: 0 });
  if (begun.state === "idle") {
    return { state: "done", line: await presentSilence(tx, conversationId, play.line) };
  }
  let context: AgentContext | null = null;
  if (begun.state === "go") {
    const turn = { accountId, conversationId, turnId: begun.turnId };
    const steps = await playSteps(tx, play, turn);
    if (steps.state === "ask") return steps;
    context = steps.context;
  }
  return { state: "done", line: await presentTrialLine(tx, conversationId, play.line, context) };
}

/** Takes the known steps of a turn, as the workflow takes them. */
async function playSteps(
  tx: Tx,
  play: LinePlay,
  turn: TurnRef,
): Promise<OpenStep | { state: "ended"; context: AgentContext }> {
  const chosen = await findChosen(tx, play.line.providerId);
  let context: AgentContext | null = null;
  for (let seq = 1; seq <= maxSteps; seq += 1) {
    const step = { ...turn, seq };
    let known = play.line.steps[seq - 1];
    const begun = await beginStep(
      tx,
      step,
      known === undefined ? chosen : await findKnown(tx, known),
    );
    if (begun.state !== "ask") throw new AppError("trial_changed");
    context = begun.context;
    const { provider } = begun;
    const appointmentIds = [...play.made];
    if (known === undefined) {
      if (provider !== null) return { ...begun, provider, appointmentIds };
      const startedAt = performance.now();
      const output = basicStep(context);
      const durationMs = Math.round(performance.now() - startedAt);
      known = { output, providerId: null, durationMs, appointmentIds };
      play.line.steps.push(known);
    }
    const output = withIds(known, play.made);
    await storeOutput(tx, step, { output, provider, durationMs: known.durationMs });
    const end = await act(tx, step, output, play.made);
    if (end === "ended") return { state: "ended", context };
    if (end !== "next") {
      await handOverTurn(tx, { ...turn, reason: end.reason });
      return { state: "ended", context };
    }
  }
  await handOverTurn(tx, { ...turn, reason: "limits" });
  if (context === null) throw new Error("A turn has a step.");
  return { state: "ended", context };
}

/** Commits the reply of a step, or runs its calls. */
async function act(
  tx: Tx,
  step: TurnRef & { seq: number },
  output: StepOutput,
  made: number[],
): Promise<"ended" | "next" | { reason: string }> {
  if (output.kind === "reply") {
    const { state } = await commitReply(tx, { ...step, allowNewer: false });
    return state === "blocked" ? "next" : "ended";
  }
  const { turnId, seq } = step;
  for (const position of output.calls.keys()) {
    const outcome = await runTurnTool(tx, { ...step, position });
    if (outcome.state === "paused") return "ended";
    const call = await findOwned(tx, AgentToolCall, { turnId, seq, position });
    if (call !== null && call.appointmentId !== null) made.push(call.appointmentId);
    if (outcome.handOver !== null) return { reason: outcome.handOver };
  }
  return "next";
}

async function findChosen(
  tx: Tx,
  id: number | null | undefined,
): Promise<AgentProvider | null | undefined> {
  if (id === null || id === undefined) return id;
  return await getOwned(tx, AgentProvider, "agent_provider", { id });
}

async function findKnown(tx: Tx, { providerId: id }: TrialStep): Promise<AgentProvider | null> {
  return id === null ? null : await getOwned(tx, AgentProvider, "agent_provider", { id });
}

/** An appointment gets another id in each play. A stored answer names it by its present one. */
function withIds({ output, appointmentIds }: TrialStep, made: readonly number[]): StepOutput {
  const present = new Map(appointmentIds.map((id, index) => [id, made[index]]));
  const text = JSON.stringify(output, (key, value: unknown) =>
    (key === "appointment_id" || key === "appointmentId") && typeof value === "number"
      ? (present.get(value) ?? value)
      : value,
  );
  return JSON.parse(text) as StepOutput;
}
