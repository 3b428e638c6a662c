import type { DataSource } from "typeorm";
import { changePageSize, numberChanges, purgeChanges } from "../../core/services/outbox/changes.ts";
import { purgeBusy } from "../../core/services/operations/busy-processes.ts";
import { purgePresence } from "../../core/services/conversations/process-presence.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/**
 * Numbers changes that no stream reads, deletes those older than 24 h, and deletes the presence of
 * processes that stopped. The tables then stay small even without streams. Uses small transactions. Any process may do it at any time.
 */
export async function keepChanges(dataSource: DataSource): Promise<void> {
  let numbered = changePageSize;
  while (numbered === changePageSize) {
    numbered = await transaction(dataSource, systemOf(), numberChanges);
  }
  let purged = 1;
  while (purged > 0) purged = await transaction(dataSource, systemOf(), purgeChanges);
  await purgePresence(dataSource.manager);
  await purgeBusy(dataSource.manager);
}
