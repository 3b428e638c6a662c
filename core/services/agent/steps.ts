import { AgentProvider } from "../../../db/entities/agent.ts";
import { AgentStep, AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { AgentContext } from "../../agent/context.ts";
import type { StepFailure, StepOutput } from "../../agent/step.ts";
import { isToolName } from "../../agent/tool-input.ts";
import { basicEngine, type AgentSettings } from "../../model/agent.ts";
import type { StepOutcome, TurnRef } from "../../model/workflow/agent.ts";
import { findOwned, insertRow, lockOwnedIfThere } from "../sql.ts";
import { checkBudgets } from "./budgets.ts";
import { loadContext } from "./context.ts";
import { toStorable } from "./storable.ts";
import { recordProviderAnswer, recordProviderFailure } from "./provider-failures.ts";
import { storeLanguage } from "./progress.ts";
import { getTurnSettings } from "./versions.ts";

/** Tries of a step at one provider. */
const maxTries = 3;
const maxWaitMs = 20_000;
/** Failures after which the same provider may answer. A time-out leaves no time for another one. */
const mayPass: readonly StepFailure[] = ["unavailable", "rate_limited", "bad_answer"];
/** Most calls of a step. */
const maxCalls = 20;

/** A step before the model is asked: done already, or everything that it needs. */
export type BegunStep =
  | { state: "done"; outcome: StepOutcome }
  | {
      state: "ask";
      context: AgentContext;
      /** Null: the built-in agent answers. */
      provider: AgentProvider | null;
      /** Fact that the reply before missed. */
      repair: string | null;
    };

/**
 * Begins a try of a step. A done step answers from its row, so that a crash repeats no model call
 * whose answer is known.
 * @param chosen the provider to ask; null: the built-in agent; undefined: the one that serves.
 */
export async function beginStep(
  tx: Tx,
  { turnId, seq }: TurnRef & { seq: number },
  chosen?: AgentProvider | null,
): Promise<BegunStep> {
  const turn = await findOwned(tx, AgentTurn, { id: turnId });
  if (turn === null || turn.outcome !== null || turn.cutAt !== null) {
    return { state: "done", outcome: { state: "failed", failure: "paused" } };
  }
  const known = await lockOwnedIfThere(tx, AgentStep, { turnId, seq });
  if (known?.state === "done" && known.output !== null) {
    return { state: "done", outcome: summaryOf(known.output) };
  }
  const { context, settings, storedLanguage } = await loadContext(tx, turn);
  const isRefused = known?.failure === "bad_request";
  const serving = isRefused ? null : (chosen ?? (await findProvider(tx, turn, settings)));
  const provider = chosen === null ? null : serving;
  const tries = known?.providerId === (provider?.id ?? null) ? known.tries : 0;
  const columns = { state: "running" as const, tries, providerId: provider?.id ?? null };
  if (known === null) {
    const facts = { accountId: turn.accountId, turnId, seq, createdAt: tx.now };
    await insertRow(tx, AgentStep, { ...facts, ...columns });
  } else await tx.manager.update(AgentStep, known.id, columns);
  const before = seq === 1 ? null : await findOwned(tx, AgentStep, { turnId, seq: seq - 1 });
  const language = context.language ?? context.account.locale;
  if (seq === 1 && language !== storedLanguage) await storeLanguage(tx, turn, language);
  return { state: "ask", context, provider, repair: before?.repair ?? null };
}

/** Stores the answer of a model. A step whose turn was erased meanwhile is dropped. */
export async function storeOutput(
  tx: Tx,
  { turnId, seq }: TurnRef & { seq: number },
  {
    output,
    provider,
    durationMs,
  }: { output: StepOutput; provider: AgentProvider | null; durationMs: number },
): Promise<StepOutcome> {
  const { input: inputTokens, cached: cachedTokens, output: outputTokens } = output.usage;
  const cost = costOf(output, provider);
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE agent_steps s JOIN agent_turns t ON t.account_id = s.account_id AND t.id = s.turn_id
        SET s.state = 'done', s.output = ?, s.failure = NULL, s.input_tokens = ?,
            s.cached_tokens = ?, s.output_tokens = ?, s.duration_ms = ?,
            t.engine = ?, t.steps = GREATEST(t.steps, ?), t.calls = t.calls + ?,
            t.input_tokens = t.input_tokens + ?, t.cached_tokens = t.cached_tokens + ?,
            t.output_tokens = t.output_tokens + ?, t.cost_micros = t.cost_micros + ?
      WHERE s.account_id = ? AND s.turn_id = ? AND s.seq = ? AND s.state <> 'done'`,
    [
      JSON.stringify(toStorable(output)),
      inputTokens,
      cachedTokens,
      outputTokens,
      durationMs,
      provider?.kind ?? basicEngine,
      seq,
      output.kind === "calls" ? output.calls.length : 0,
      inputTokens,
      cachedTokens,
      outputTokens,
      cost,
      tx.actor.accountId,
      turnId,
      seq,
    ],
  );
  if (affectedRows === 0) {
    // An attempt that Temporal gave up may answer late. The first answer stands.
    const known = await findOwned(tx, AgentStep, { turnId, seq });
    return known === null || known.output === null
      ? { state: "failed", failure: "paused" }
      : summaryOf(known.output);
  }
  if (provider !== null) await recordProviderAnswer(tx, provider);
  if (cost > 0) await checkBudgets(tx, await getTurnSettings(tx, turnId));
  return summaryOf(output);
}

/** Price of a step in millionths. Prices are for a million tokens. */
function costOf({ usage }: StepOutput, provider: AgentProvider | null): number {
  if (provider === null) return 0;
  const { inputPrice, outputPrice } = provider;
  return Math.ceil((usage.input * inputPrice + usage.output * outputPrice) / 1_000_000);
}

/**
 * Stores the failure of a try. A failure that may pass is tried three times. After that the provider
 * is not asked for five minutes, and the next one serves, at last the built-in agent.
 */
export async function storeFailure(
  tx: Tx,
  { turnId, seq }: TurnRef & { seq: number },
  {
    failure,
    retryAfterMs,
    provider,
  }: {
    failure: StepFailure;
    retryAfterMs: number | null;
    provider: AgentProvider | null;
  },
): Promise<StepOutcome> {
  const step = await lockOwnedIfThere(tx, AgentStep, { turnId, seq });
  if (step === null || provider === null) return { state: "failed", failure };
  if (step.state === "done" && step.output !== null) return summaryOf(step.output);
  const tries = step.tries + 1;
  await tx.manager.update(AgentStep, step.id, { state: "failed", failure, tries });
  if (mayPass.includes(failure) && tries < maxTries) {
    const waitMs = Math.min(retryAfterMs ?? 500 * 2 ** tries, maxWaitMs);
    return { state: "again", waitMs, failure };
  }
  // One customer's text takes no provider from the others.
  if (failure === "bad_request") return { state: "again", waitMs: 0, failure };
  await recordProviderFailure(tx, provider, failure);
  return { state: "again", waitMs: 0, failure };
}

/** The first provider that is not failing, or null for the built-in agent. */
async function findProvider(
  tx: Tx,
  turn: AgentTurn,
  settings: AgentSettings,
): Promise<AgentProvider | null> {
  const providers = await tx.manager.find(AgentProvider, {
    where: { accountId: turn.accountId },
    order: { position: "ASC", id: "ASC" },
  });
  const serving = providers.find(
    ({ failingUntil }) => (failingUntil?.getTime() ?? 0) <= tx.now.getTime(),
  );
  if (serving === undefined) return null;
  return (await checkBudgets(tx, settings)) ? null : serving;
}

function summaryOf(output: StepOutput): StepOutcome {
  if (output.kind === "reply") return { state: "reply" };
  // A name that a model made up may hold a customer's words, and Temporal keeps the outcome.
  const tools = output.calls
    .slice(0, maxCalls)
    .map(({ tool }) => (isToolName(tool) ? tool : "unknown"));
  return { state: "calls", tools };
}
