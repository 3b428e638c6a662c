import { Context } from "@temporalio/activity";
import { basicStep } from "../core/agent/basic/basic-agent.ts";
import { maxOutputTokens, StepError, type ModelPort, type StepOutput } from "../core/agent/step.ts";
import { basicEngine } from "../core/model/agent.ts";
import type { StepOutcome, TurnRef } from "../core/model/workflow/agent.ts";
import {
  beginStep,
  storeFailure,
  storeOutput,
  type BegunStep,
} from "../core/services/agent/steps.ts";
import type { AgentProvider } from "../db/entities/agent.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import { createCutWatch, type WatchCut } from "./cut-watch.ts";
import type { ActivityDeps } from "./deps.ts";
import { createAccountPlaces } from "./limits/account-places.ts";
import { retryFor } from "./retry-for.ts";

/** Time limit of a model call, below the activity's own. */
const modelMs = 45_000;
const heartbeatMs = 250;
/** Model steps of an account in this process at once. */
const maxStepsOfAccount = 8;
const busyMs = 500;

type StepRef = TurnRef & { seq: number };
type Ask = Extract<BegunStep, { state: "ask" }>;

/**
 * The model step of a turn: reads what the model may know, makes one call, and stores the answer.
 * A pause or a cancellation closes the provider's connection.
 */
export function createModelStep({ dataSource, log, models, metrics }: ActivityDeps) {
  const inPlace = createAccountPlaces({ mostOfAccount: maxStepsOfAccount, retryMs: () => busyMs });
  const watchCut = createCutWatch(dataSource);

  async function store(input: StepRef, work: (tx: Tx) => Promise<StepOutcome>) {
    // The answer was paid for, so a short outage of MySQL does not lose it.
    const outcome = await retryFor(
      async () => await transaction(dataSource, systemOf(input.accountId), work),
    );
    const { state } = outcome;
    log.info({ conversation_id: input.conversationId, step: "model", state }, "agent.step");
    return outcome;
  }

  async function ask(turnId: number, { context, provider, repair }: Ask): Promise<StepOutput> {
    if (provider === null) return basicStep(context);
    const request = { context, maxOutputTokens, ...(repair === null ? {} : { repair }) };
    const model = connect(models, provider);
    return await untilCut(watchCut, turnId, (signal) => model.step(request, signal));
  }

  async function takeStep(input: StepRef): Promise<StepOutcome> {
    const begun = await transaction(dataSource, systemOf(input.accountId), (tx) =>
      beginStep(tx, input),
    );
    if (begun.state === "done") return begun.outcome;
    const { provider } = begun;
    const context = Context.current();
    const beats = setInterval(() => context.heartbeat(), heartbeatMs);
    const startedAt = performance.now();
    try {
      const output = await ask(input.turnId, begun);
      const durationMs = Math.round(performance.now() - startedAt);
      observe(metrics, { engine: provider?.kind ?? basicEngine, durationMs, ...output.usage });
      return await store(input, (tx) => storeOutput(tx, input, { output, provider, durationMs }));
    } catch (error) {
      if (error instanceof TurnCutError) return { state: "failed", failure: "paused" };
      if (!(error instanceof StepError)) throw error;
      const { failure, retryAfterMs } = error;
      const facts = { failure, retryAfterMs, provider };
      return await store(input, (tx) => storeFailure(tx, input, facts));
    } finally {
      clearInterval(beats);
    }
  }

  return {
    // A step without a place costs no statement.
    modelStep: (input: StepRef): Promise<StepOutcome> =>
      inPlace(input.accountId, async () => await takeStep(input)),
  };
}

/** A label names the kind of a provider, never an account's own provider. */
function observe(
  { agentStepSeconds, agentTokens }: ActivityDeps["metrics"],
  { engine, durationMs, ...tokens }: { engine: string; durationMs: number } & StepOutput["usage"],
): void {
  agentStepSeconds.observe({ engine }, durationMs / 1_000);
  for (const kind of ["input", "cached", "output"] as const) {
    agentTokens.inc({ engine, kind }, tokens[kind]);
  }
}

/** @throws StepError `refused` where the stored key cannot be opened. */
function connect(models: ActivityDeps["models"], provider: AgentProvider): ModelPort {
  try {
    return models(provider);
  } catch {
    throw new StepError("refused");
  }
}

/** A person took over, and the model's connection is closed. */
class TurnCutError extends Error {}

/**
 * Runs a model call until it answers, its turn is cut, the activity is cancelled, or its time is up.
 * @throws StepError `timeout`; TurnCutError; CancelledFailure.
 */
async function untilCut<T>(
  watchCut: WatchCut,
  turnId: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { cancellationSignal: cancelled } = context;
  const aborting = new AbortController();
  const cause = { cut: false, late: false };
  const abort = (): void => aborting.abort();
  const abortAs = (name: keyof typeof cause): void => {
    cause[name] = true;
    abort();
  };
  const unwatch = watchCut(turnId, () => abortAs("cut"));
  const timer = setTimeout(() => abortAs("late"), modelMs);
  cancelled.addEventListener("abort", abort, { once: true });
  if (cancelled.aborted) abort();
  try {
    return await call(aborting.signal);
  } catch (error) {
    // An abort is judged by its cause, since libraries wrap its reason.
    if (cancelled.aborted) await context.cancelled;
    if (cause.cut) throw new TurnCutError();
    throw cause.late ? new StepError("timeout") : error;
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener("abort", abort);
    unwatch();
  }
}
