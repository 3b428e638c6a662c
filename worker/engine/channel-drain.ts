import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { errorNumber } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { applyItem } from "../../core/services/channels/apply-item.ts";
import {
  claimItems,
  failItem,
  hasDueItems,
  type ClaimedItem,
} from "../../core/services/channels/channel-items.ts";
import {
  failOldestWebhook,
  listAppsToSplit,
  splitWebhooks,
} from "../../core/services/channels/channel-webhooks.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";

/** Items of different lanes that are claimed together. */
const claimedAtOnce = 32;
/** Claimed items that are applied at once. */
const appliedAtOnce = 8;
const busyPollMs = 5;
const idlePollMs = 100;
const faultMs = 1_000;
const maxReasonLength = 64;

/** Dependencies of the drain. */
export interface DrainDeps {
  dataSource: DataSource;
  log: Logger;
}

/** The loop that turns stored webhooks into messages, statuses and the rest. */
export interface ChannelDrain {
  /** Polls once. @returns number of webhooks that were split and items that were tried. */
  drainOnce(): Promise<number>;
  /** Stops, and resolves after the items in progress. */
  stop(): Promise<void>;
}

/** Creates a drain that polls only when it is told to. */
export function createDrain(deps: DrainDeps): Pick<ChannelDrain, "drainOnce"> {
  return { drainOnce: async () => (await splitAll(deps)) + (await applyDue(deps)) };
}

/**
 * Starts the drain. Any number may run, in any number of processes: an app is split under a lock,
 * and an item is claimed by a lease. So a crash delays items, and none is lost or applied twice.
 */
export function startDrain(deps: DrainDeps): ChannelDrain {
  const stopping = new AbortController();
  const { drainOnce } = createDrain(deps);
  const loop = runLoop(deps, drainOnce, stopping.signal);
  return {
    drainOnce,
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function runLoop(
  { log }: DrainDeps,
  drainOnce: ChannelDrain["drainOnce"],
  stopping: AbortSignal,
): Promise<void> {
  let pauseMs = busyPollMs;
  while (!stopping.aborted) {
    try {
      const done = await drainOnce();
      pauseMs = done > 0 ? busyPollMs : Math.min(pauseMs * 1.2, idlePollMs);
    } catch (error) {
      log.error({ err: error }, "channels.drain_failed");
      pauseMs = faultMs * (0.5 + Math.random() / 2);
    }
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

async function splitAll(deps: DrainDeps): Promise<number> {
  const apps = await oneStatement(deps.dataSource, systemOf(), listAppsToSplit);
  let webhooks = 0;
  for (const id of apps) webhooks += await splitApp(deps, id);
  return webhooks;
}

/** After a fault webhooks are split one by one, so that the faulty one alone is parked in the end. */
async function splitApp({ dataSource, log }: DrainDeps, channelAppId: number): Promise<number> {
  const split = async (limit?: number) =>
    await transaction(dataSource, systemOf(), (tx) => splitWebhooks(tx, channelAppId, limit));
  try {
    return await split();
  } catch {
    try {
      return await split(1);
    } catch (error) {
      log.error({ err: error, channel_app_id: channelAppId }, "channels.split_failed");
      await transaction(dataSource, systemOf(), (tx) =>
        failOldestWebhook(tx, channelAppId, reasonOf(error)),
      );
      return 0;
    }
  }
}

async function applyDue(deps: DrainDeps): Promise<number> {
  const { dataSource } = deps;
  // The look is one statement. Most polls find nothing, and a claim takes five.
  if (!(await oneStatement(dataSource, systemOf(), hasDueItems))) return 0;
  const items = await transaction(dataSource, systemOf(), (tx) => claimItems(tx, claimedAtOnce));
  const left = items.values();
  await Promise.all(
    Array.from({ length: appliedAtOnce }, async () => {
      for (const item of left) await applyOne(deps, item);
    }),
  );
  return items.length;
}

async function applyOne({ dataSource, log }: DrainDeps, { id, accountId }: ClaimedItem) {
  const options = systemOf(accountId);
  try {
    await transaction(dataSource, options, (tx) => applyItem(tx, id));
  } catch (error) {
    log.error({ err: error, channel_item_id: id }, "channels.item_failed");
    await transaction(dataSource, options, (tx) => failItem(tx, id, reasonOf(error)));
  }
}

/** Class and code of an error. Its message may hold a customer's words. */
function reasonOf(error: unknown): string {
  const number = errorNumber(error);
  if (number !== null) return `mysql_${number}`;
  return (error instanceof Error ? error.name : "error").slice(0, maxReasonLength);
}
