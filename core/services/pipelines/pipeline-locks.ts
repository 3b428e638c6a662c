import type { Tx } from "../../../db/transaction.ts";
import { lockAccount } from "../accounts/accounts.ts";
import { placeholders } from "../sql.ts";

/**
 * Lets one admin at a time change the account's pipelines, stages and the settings about them.
 * Moves of customers do not wait for this lock.
 */
export async function lockArrangement(tx: Tx): Promise<void> {
  await lockAccount(tx);
}

/**
 * Waits for moves into stages of the pipeline that are under way, and blocks new ones. @returns the
 * ids of the stages.
 */
export async function lockStagesOf(tx: Tx, pipelineId: number): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM pipeline_stages WHERE pipeline_id = ? AND account_id = ?
      ORDER BY id FOR UPDATE`,
    [pipelineId, tx.actor.accountId],
  );
  return rows.map(({ id }) => Number(id));
}

/**
 * Removes the account's stage for bookings, if it is among these. Bookings then move no contact.
 */
export async function forgetBookingStages(tx: Tx, stageIds: number[]): Promise<void> {
  await tx.manager.query(
    `UPDATE accounts SET settings = JSON_REMOVE(settings, '$.booking_stage_id')
      WHERE id = ? AND JSON_EXTRACT(settings, '$.booking_stage_id') IN (${placeholders(stageIds)})`,
    [tx.actor.accountId, ...stageIds],
  );
}
