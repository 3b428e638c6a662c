import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import {
  insertWebhooks,
  type ReceivedWebhook,
} from "../../core/services/channels/channel-webhooks.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";

/** Time for which a webhook waits for others, to share their statement. */
const gatherMs = 5;
/** Below MySQL's `max_allowed_packet` of 64 MiB. */
const maxBatchBytes = 16_777_216;
const maxBatchRows = 200;

/** Stores webhooks of many callers in few statements. */
export interface WebhookBatches {
  /** Resolves once the row is stored. @throws the error of the statement */
  add(webhook: ReceivedWebhook): Promise<void>;
}

interface Batch {
  webhooks: ReceivedWebhook[];
  bytes: number;
  stored: Promise<void>;
}

/** Creates the batches of one process. */
export function createWebhookBatches(dataSource: DataSource): WebhookBatches {
  let open: Batch | null = null;

  function begin(): Batch {
    const batch: Batch = { webhooks: [], bytes: 0, stored: Promise.resolve() };
    batch.stored = sleep(gatherMs).then(async () => {
      if (open === batch) open = null;
      await oneStatement(dataSource, systemOf(), (tx) => insertWebhooks(tx, batch.webhooks));
    });
    return batch;
  }

  return {
    async add(webhook) {
      const size = webhook.body.length;
      if (open !== null && isFull(open, size)) open = null;
      open ??= begin();
      const batch = open;
      batch.webhooks.push(webhook);
      batch.bytes += size;
      await batch.stored;
    },
  };
}

function isFull({ webhooks, bytes }: Batch, size: number): boolean {
  return webhooks.length >= maxBatchRows || bytes + size > maxBatchBytes;
}
