import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { changePageSize, numberChanges, purgeChanges } from "../../core/services/outbox/changes.ts";
import { purgeBusy } from "../../core/services/operations/busy-processes.ts";
import { purgePresence } from "../../core/services/conversations/process-presence.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/**
 * Rest after a page, as a multiple of its time. The pages of a busy minute take MySQL for most of a
 * second. In one go they would delay every call meanwhile.
 */
const restShare = 9;
/** Databases whose changes are being kept by this process. */
const kept = new WeakSet<DataSource>();

/**
 * Numbers changes that no stream reads, deletes those older than 24 h, and deletes the presence of
 * processes that stopped. The tables then stay small even without streams. Uses small transactions
 * with rests between them. Any process may do it at any time. A call during another one does nothing.
 */
export async function keepChanges(
  dataSource: DataSource,
  rest: (ms: number) => Promise<void> = sleep,
): Promise<void> {
  if (kept.has(dataSource)) return;
  kept.add(dataSource);
  try {
    await repeat(rest, async () => {
      return (await transaction(dataSource, systemOf(), numberChanges)) === changePageSize;
    });
    await repeat(rest, async () => (await transaction(dataSource, systemOf(), purgeChanges)) > 0);
    await purgePresence(dataSource.manager);
    await purgeBusy(dataSource.manager);
  } finally {
    kept.delete(dataSource);
  }
}

/** Repeats a page as long as it returns true. */
async function repeat(
  rest: (ms: number) => Promise<void>,
  page: () => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const startedAt = performance.now();
    if (!(await page())) return;
    await rest(restShare * (performance.now() - startedAt));
  }
}
