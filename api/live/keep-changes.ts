import type { DataSource } from "typeorm";
import { changePageSize, numberChanges, purgeChanges } from "../../core/services/outbox/changes.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/**
 * Numbers what nobody watches and deletes what is 24 h old, so that the table stays small also where
 * no stream is open for days. In small transactions; any process may do it at any time.
 */
export async function keepChanges(dataSource: DataSource): Promise<void> {
  let numbered = changePageSize;
  while (numbered === changePageSize) {
    numbered = await transaction(dataSource, systemOf(), numberChanges);
  }
  let purged = 1;
  while (purged > 0) purged = await transaction(dataSource, systemOf(), purgeChanges);
}
