import type { AgentProvider } from "../../../db/entities/agent.ts";
import type { Tx } from "../../../db/transaction.ts";
import { maxOutputTokens, StepError, type ModelPort, type StepOutput } from "../../agent/step.ts";
import { AppError } from "../../errors.ts";
import { playTrial, type OpenStep } from "./trial-play.ts";
import type { Trial } from "./trial.ts";
import type { PlayedLine } from "./trial-views.ts";

/** Everything that a trial needs beside its own lines. */
export interface TrialPorts {
  /** Runs `work` in a transaction that is always rolled back. */
  rehearse: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Connects to the model of a provider. */
  models: (provider: AgentProvider) => ModelPort | Promise<ModelPort>;
  /** Time limit of all model calls of a line. */
  limitMs: number;
}

/**
 * Answers the last line of a trial with the draft of the agent, and adds its steps to the line.
 * Each model call stands between two plays, so that no transaction waits for it.
 * @throws AppError `agent_provider_failed`, and those of `playTrial`
 */
export async function answerTrial(ports: TrialPorts, trial: Trial): Promise<PlayedLine> {
  const signal = AbortSignal.timeout(ports.limitMs);
  for (;;) {
    const played = await ports.rehearse((tx) => playTrial(tx, trial));
    if (played.state === "done") return played.line;
    const startedAt = performance.now();
    const output = await ask(ports, played, signal);
    trial.lines.at(-1)?.steps.push({
      output,
      providerId: played.provider.id,
      durationMs: Math.round(performance.now() - startedAt),
      appointmentIds: played.appointmentIds,
    });
  }
}

/** Asks once. People who try the agent want to see that a provider fails, not a second answer. */
async function ask(
  { models }: TrialPorts,
  { context, provider, repair }: OpenStep,
  signal: AbortSignal,
): Promise<StepOutput> {
  try {
    const model = await connect(models, provider);
    const request = { context, maxOutputTokens, ...(repair === null ? {} : { repair }) };
    return await model.step(request, signal);
  } catch (error) {
    const failure = signal.aborted ? new StepError("timeout") : error;
    if (!(failure instanceof StepError)) throw failure;
    const details = { provider_id: provider.id, failure: failure.failure, status: failure.status };
    throw new AppError("agent_provider_failed", { details });
  }
}

/** @throws StepError `refused` where the stored key cannot be opened. */
async function connect(models: TrialPorts["models"], provider: AgentProvider): Promise<ModelPort> {
  try {
    return await models(provider);
  } catch {
    throw new StepError("refused");
  }
}
