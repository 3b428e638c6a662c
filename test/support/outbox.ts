import {
  claimOutboxRows,
  listDueLanes,
  type ClaimedRow,
} from "../../core/services/outbox-claims.ts";
import type { Tx } from "../../db/transaction.ts";

/** Claims up to `limit` due rows, whatever their lanes: the first lanes first. */
export async function claimDue(tx: Tx, limit: number): Promise<ClaimedRow[]> {
  const claimed: ClaimedRow[] = [];
  for (const { lane } of await listDueLanes(tx)) {
    const left = limit - claimed.length;
    if (left > 0) claimed.push(...(await claimOutboxRows(tx, [{ lane, limit: left }])));
  }
  return claimed;
}
