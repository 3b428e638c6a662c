import { bytesToUuid } from "../../db/entities/columns.ts";
import type { Tx } from "../../db/transaction.ts";
import { deliveryWorkflowId, type DeliveryState } from "../model/delivery.ts";
import { actingUserId } from "./actor.ts";
import { requestRun } from "./outbox.ts";

/** What a new run of a delivery is made from, locked by the caller. */
export interface RunFacts {
  id: number;
  account_id: number;
  event_id: Buffer;
  subscription_id: number;
  state: DeliveryState;
  run: number;
  /** Of the subscription, as it is now. */
  url: string;
}

/**
 * Queues the next run of a delivery: same event, same bytes, attempts counted anew. Runs before it do
 * nothing any more. The relay starts it.
 * @returns the run's number.
 */
export async function queueNextRun(tx: Tx, row: RunFacts): Promise<number> {
  const run = row.run + 1;
  const userId = actingUserId(tx.actor);
  await tx.manager.query(
    `UPDATE deliveries SET run = ?, state = 'queued', reason = NULL, via = 'workflow', workflow_id = ?,
            attempts_made = 0, next_attempt_at = NULL, discard_at = NULL, last_status_code = NULL,
            last_error_class = NULL, actor = ?, finished_at = NULL, updated_at = ? WHERE id = ?`,
    [
      run,
      deliveryWorkflowId(bytesToUuid(row.event_id), row.subscription_id, run),
      userId === null ? null : JSON.stringify({ user_id: userId }),
      tx.now,
      row.id,
    ],
  );
  await requestRun(tx, row);
  return run;
}
