import { turnOutcomes } from "../core/model/agent.ts";
import type {
  AgentTurnInput,
  CallOutcome,
  ReplyOutcome,
  TurnBegin,
  TurnRef,
} from "../core/model/workflow/agent.ts";
import { handOverTurn } from "../core/services/agent/handover.ts";
import { commitReply } from "../core/services/agent/reply.ts";
import { runTurnTool } from "../core/services/agent/turn-tools.ts";
import { findCutMs, findGuard } from "../core/services/agent/turn-records.ts";
import { beginTurn, endTurn } from "../core/services/agent/turns.ts";
import { systemOf, transaction, type Tx } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { createModelStep } from "./model-step.ts";
import { startTyping } from "./show-typing.ts";

/** States of a step that ended its turn. */
const outcomes: ReadonlySet<string> = new Set(turnOutcomes);

/** The steps of a turn of the agent. Each reads MySQL first, and a repeat has no further effect. */
export function createAgentTurn(deps: ActivityDeps) {
  const { dataSource, log, metrics } = deps;

  async function step<T extends { state: string }>(
    name: string,
    input: { accountId: number; conversationId: number },
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const result = await transaction(dataSource, systemOf(input.accountId), work);
    const { state } = result;
    log.info({ conversation_id: input.conversationId, step: name, state }, "agent.step");
    if (outcomes.has(state)) metrics.agentTurns.inc({ outcome: state });
    return result;
  }

  const observe = createObserver(deps);

  /** A step that may end its turn by a pause; then the time since the pause is observed. */
  async function lastStep<T extends { state: string }>(
    name: string,
    input: TurnRef,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const result = await step(name, input, work);
    if (result.state === "paused") {
      await observe(
        input.accountId,
        (tx) => findCutMs(tx, input.turnId),
        (ms) => metrics.agentCutSeconds.observe(ms / 1_000),
      );
    }
    return result;
  }

  return {
    ...createModelStep(deps),

    async beginTurn(input: AgentTurnInput): Promise<TurnBegin> {
      const begun = await step("begin", input, (tx) => beginTurn(tx, input));
      if (begun.state === "go") startTyping(deps, input.accountId, begun.turnId);
      return begun;
    },

    runTool: (input: TurnRef & { seq: number; position: number }): Promise<CallOutcome> =>
      step("tool", input, (tx) => runTurnTool(tx, input)),

    async commitReply(
      input: TurnRef & { seq: number; allowNewer: boolean },
    ): Promise<ReplyOutcome> {
      const result = await step("reply", input, (tx) => commitReply(tx, input));
      if (result.state === "blocked" || result.state === "handed_off") {
        await observe(
          input.accountId,
          (tx) => findGuard(tx, input),
          (guard) => metrics.agentRepliesRefused.inc({ guard }),
        );
      }
      return result;
    },

    endTurn: (input: TurnRef & { outcome: "paused" | "superseded" }) =>
      lastStep("end", input, (tx) => endTurn(tx, input)),

    handOverTurn: (input: TurnRef & { reason: string }) =>
      lastStep("hand over", input, (tx) => handOverTurn(tx, input)),
  };
}

/** Observes what a step left in its rows, if it left that. */
function createObserver({ dataSource }: Pick<ActivityDeps, "dataSource">) {
  return async <T>(
    accountId: number,
    read: (tx: Tx) => Promise<T | null>,
    note: (found: T) => void,
  ): Promise<void> => {
    const found = await transaction(dataSource, systemOf(accountId), read);
    if (found !== null) note(found);
  };
}
