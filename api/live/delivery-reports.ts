import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import { reportDelivered } from "../../core/services/widgets/visit-streams.ts";
import { systemOf, transaction } from "../../db/transaction.ts";

/** Messages that streams have taken, until they are stored as delivered. */
export interface DeliveryReports {
  add(accountId: number, messageId: number): void;
  /** Stores the rest, and resolves once the database is no longer used. */
  stop(): Promise<void>;
}

/** Reports of this time share a transaction. */
const collectMs = 500;
/** Messages in one transaction. */
const batchSize = 100;

/**
 * Creates the reports. A report that cannot be stored is dropped: the message stays `sent` until it
 * is read.
 */
export function createDeliveryReports(deps: {
  dataSource: DataSource;
  log: Logger;
}): DeliveryReports {
  let waiting = new Map<number, Set<number>>();
  let timer: NodeJS.Timeout | null = null;
  let work: Promise<void> = Promise.resolve();
  const flush = () => {
    timer = null;
    const taken = waiting;
    waiting = new Map();
    work = work
      .then(async () => await store(deps.dataSource, taken))
      .catch((error: unknown) => deps.log.warn({ err: error }, "live.delivered_not_stored"));
  };
  return {
    add(accountId, messageId) {
      waiting.set(accountId, (waiting.get(accountId) ?? new Set()).add(messageId));
      timer ??= setTimeout(flush, collectMs);
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
      flush();
      await work;
    },
  };
}

async function store(
  dataSource: DataSource,
  taken: ReadonlyMap<number, ReadonlySet<number>>,
): Promise<void> {
  for (const [accountId, messageIds] of taken) {
    const ids = [...messageIds];
    for (let from = 0; from < ids.length; from += batchSize) {
      const batch = ids.slice(from, from + batchSize);
      await transaction(dataSource, systemOf(accountId), async (tx) => {
        await reportDelivered(tx, batch);
      });
    }
  }
}
