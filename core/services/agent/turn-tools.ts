import { AgentStep, AgentToolCall, AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { HandoverReason } from "../../model/agent.ts";
import type { CallOutcome, TurnRef } from "../../model/workflow/agent.ts";
import { findOwned } from "../sql.ts";
import { runTool } from "./tools/run-tool.ts";
import { getTurnSettings } from "./versions.ts";

const maxCalls = 20;
/** The same call for the third time ends the turn. */
const maxSameCalls = 3;
const maxFailures = 2;

/** Runs one call of a step, as the step's row has it. A repeat returns the first result. */
export async function runTurnTool(
  tx: Tx,
  { turnId, seq, position }: TurnRef & { seq: number; position: number },
): Promise<CallOutcome> {
  const turn = await findOwned(tx, AgentTurn, { id: turnId });
  const step = await findOwned(tx, AgentStep, { turnId, seq });
  const call = step?.output?.kind === "calls" ? step.output.calls[position] : undefined;
  if (turn === null || call === undefined) return { state: "paused" };
  const settings = await getTurnSettings(tx, turn.id);
  const outcome = await runTool(tx, { turn, seq, position, call, settings });
  if (outcome.state === "paused") return { state: "paused" };
  const calls = await tx.manager.findBy(AgentToolCall, { accountId: turn.accountId, turnId });
  const made = calls.find((one) => one.seq === seq && one.position === position);
  return {
    state: "done",
    code: made?.code ?? "ok",
    effect: made !== undefined && (made.untold || made.toldMessageId !== null),
    handOver: outcome.terminal ? "agent_decided" : findReason(calls, made),
  };
}

/** Reason why these calls end the turn, or null. */
function findReason(
  calls: readonly AgentToolCall[],
  newest: AgentToolCall | undefined,
): HandoverReason | null {
  if (calls.length >= maxCalls) return "limits";
  if (newest === undefined) return null;
  const input = JSON.stringify(newest.input);
  const same = calls.filter(
    (one) => one.tool === newest.tool && JSON.stringify(one.input) === input,
  );
  if (same.length >= maxSameCalls) return "loop_suspected";
  const failed = calls.filter(({ tool, code }) => tool === newest.tool && code === "failed");
  return failed.length >= maxFailures ? "tool_failed" : null;
}
