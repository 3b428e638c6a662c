import type { DataSource } from "typeorm";
import { changePageSize, numberChanges, purgeChanges } from "../../core/services/outbox/changes.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/**
 * Numbers changes that no stream reads and deletes those older than 24 h. The table then stays
 * small even without streams. Uses small transactions. Any process may do it at any time.
 */
export async function keepChanges(dataSource: DataSource): Promise<void> {
  let numbered = changePageSize;
  while (numbered === changePageSize) {
    numbered = await transaction(dataSource, systemOf(), numberChanges);
  }
  let purged = 1;
  while (purged > 0) purged = await transaction(dataSource, systemOf(), purgeChanges);
}
