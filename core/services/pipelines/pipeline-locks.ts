import type { Tx } from "../../../db/transaction.ts";
import { placeholders } from "../sql.ts";

/**
 * Lets one admin at a time arrange the account's pipelines and stages, and what its settings say of
 * them. Moves of customers do not wait for it.
 */
export async function lockArrangement(tx: Tx): Promise<void> {
  await tx.manager.query("SELECT id FROM accounts WHERE id = ? FOR UPDATE", [tx.actor.accountId]);
}

/** Waits until no move into a stage of the pipeline is under way, and lets none begin. @returns the ids. */
export async function lockStagesOf(tx: Tx, pipelineId: number): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM pipeline_stages WHERE pipeline_id = ? AND account_id = ?
      ORDER BY id FOR UPDATE`,
    [pipelineId, tx.actor.accountId],
  );
  return rows.map(({ id }) => Number(id));
}

/** Where a booking moves to a stage that is going, it moves nowhere from now on. */
export async function forgetBookingStages(tx: Tx, stageIds: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE accounts SET settings = JSON_REMOVE(settings, '$.booking_stage_id')
      WHERE id = ? AND JSON_EXTRACT(settings, '$.booking_stage_id') IN (${placeholders(stageIds)})`,
    [tx.actor.accountId, ...stageIds],
  );
}
