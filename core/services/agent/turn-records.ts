import { In, IsNull, Not } from "typeorm";
import { AgentStep, AgentTurn } from "../../../db/entities/agent-turn.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { TurnOutcome } from "../../model/agent.ts";
import { findOwned, lockOwnedIfThere } from "../sql.ts";

/** The turn, locked after its conversation; null once it was erased. */
export async function lockTurn(tx: Tx, turnId: number): Promise<AgentTurn | null> {
  return await lockOwnedIfThere(tx, AgentTurn, { id: turnId });
}

/** Facts of the end of a turn. */
interface TurnEnd {
  outcome: TurnOutcome;
  /** Code of a handover, a guard or a failure. */
  reason?: string;
  messageId?: number;
  abortedAt?: Date;
}

/** Writes the end of a locked turn. The conversation may then begin another one. */
export async function finishTurn(tx: Tx, turn: AgentTurn, end: TurnEnd): Promise<void> {
  const columns = { ...end, openConversationId: null, finishedAt: tx.now };
  Object.assign(turn, columns);
  await tx.manager.update(AgentTurn, turn.id, columns);
}

/** Milliseconds from the pause that cut a turn to the end of its step; null without a pause. */
export async function findCutMs(tx: Tx, turnId: number): Promise<number | null> {
  const turn = await findOwned(tx, AgentTurn, { id: turnId });
  if (turn === null || turn.cutAt === null || turn.abortedAt === null) return null;
  return Math.max(turn.abortedAt.getTime() - turn.cutAt.getTime(), 0);
}

/** Those of these turns that a person has cut, of all accounts. */
export async function listCutTurns(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const where = { id: In([...ids]), cutAt: Not(IsNull()) };
  const rows = await tx.manager.find(AgentTurn, { select: { id: true }, where });
  return rows.map(({ id }) => id);
}

/** The guard that refused the reply of a step; null where the reply passed. */
export async function findGuard(
  tx: Tx,
  { turnId, seq }: { turnId: number; seq: number },
): Promise<string | null> {
  return (await findOwned(tx, AgentStep, { turnId, seq }))?.guard ?? null;
}
