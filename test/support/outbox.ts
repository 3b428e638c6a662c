import {
  claimOutboxRows,
  listPartitions,
  type ClaimedRow,
} from "../../core/services/outbox/outbox-claims.ts";
import { request } from "../../core/services/outbox/outbox.ts";
import type { Tx } from "../../db/transaction.ts";

/** Claims up to `limit` due rows, whatever their partitions: the first partitions first. */
export async function claimDue(tx: Tx, limit: number): Promise<ClaimedRow[]> {
  const claimed: ClaimedRow[] = [];
  for (const { key } of await listPartitions(tx)) {
    const left = limit - claimed.length;
    if (left > 0) claimed.push(...(await claimOutboxRows(tx, [{ key, limit: left }])));
  }
  return claimed;
}

/** Writes an outbox row with a request to Temporal, whichever it is. */
export async function requestAny(tx: Tx): Promise<void> {
  await request(tx, {
    op: "start",
    workflow: "cancelDeliveries",
    workflowId: "x",
    taskQueue: "ops",
    input: {},
    summary: "x",
  });
}
