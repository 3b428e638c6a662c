import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import { addBadSignatures } from "../../core/services/channels/channel-apps.ts";
import { oneStatement, systemOf } from "../../db/transaction.ts";

/** Time for which refused calls gather, so that a flood costs a statement a second for each app. */
const gatherMs = 1_000;

/** Counts webhooks of Meta apps that were refused for their signature. */
export interface BadSignatures {
  add(app: { accountId: number; channelAppId: number }): void;
  /** Stores the counts so far. Counts that cannot be stored are lost: they are no more than a hint. */
  flush(): Promise<void>;
}

/** Creates the counts of one process. */
export function createBadSignatures(dataSource: DataSource, log: Logger): BadSignatures {
  const counts = new Map<number, { accountId: number; calls: number }>();
  let isGathering = false;

  async function flush(): Promise<void> {
    const all = [...counts];
    counts.clear();
    for (const [channelAppId, { accountId, calls }] of all) {
      try {
        await oneStatement(dataSource, systemOf(accountId), (tx) =>
          addBadSignatures(tx, channelAppId, calls),
        );
      } catch (error) {
        log.warn({ err: error, channel_app_id: channelAppId }, "channels.signature_not_counted");
      }
    }
  }

  async function flushLater(): Promise<void> {
    await sleep(gatherMs, undefined, { ref: false });
    isGathering = false;
    await flush();
  }

  return {
    add({ accountId, channelAppId }) {
      const calls = (counts.get(channelAppId)?.calls ?? 0) + 1;
      counts.set(channelAppId, { accountId, calls });
      if (isGathering) return;
      isGathering = true;
      void flushLater();
    },
    flush,
  };
}
