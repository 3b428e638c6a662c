import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource } from "typeorm";
import { errorNumber } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { applyItem } from "../../core/services/channels/apply-item.ts";
import { applyStatuses } from "../../core/services/channels/apply-statuses.ts";
import { failItem } from "../../core/services/channels/channel-items.ts";
import {
  claimPartitions,
  createPartitionPlace,
  hasDueItems,
  releaseItems,
  type ClaimedPartition,
  type PartitionPlace,
} from "../../core/services/channels/claim-partitions.ts";
import {
  failOldestWebhook,
  listAppsToSplit,
  splitWebhooks,
} from "../../core/services/channels/channel-webhooks.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";

/** Claimed partitions that are applied at once. */
const appliedAtOnce = 8;
/** Partitions of statuses of one transaction. */
const partitionsTogether = 50;
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
  const place = createPartitionPlace();
  return { drainOnce: async () => (await splitAll(deps)) + (await applyDue(deps, place)) };
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

async function applyDue(deps: DrainDeps, place: PartitionPlace): Promise<number> {
  const { dataSource } = deps;
  // The look is one statement. Most polls find nothing, and a claim takes seven.
  if (!(await oneStatement(dataSource, systemOf(), hasDueItems))) return 0;
  const partitions = await transaction(dataSource, systemOf(), (tx) => claimPartitions(tx, place));
  const left: ClaimedPartition[] = [];
  for (const batch of batchesOf(partitions.filter(({ areStatuses }) => areStatuses)))
    left.push(...(await applyTogether(deps, batch)));
  const singly = [...partitions.filter(({ areStatuses }) => !areStatuses), ...left].values();
  await Promise.all(
    Array.from({ length: appliedAtOnce }, async () => {
      for (const partition of singly) await applyPartition(deps, partition);
    }),
  );
  return partitions.reduce((items, { ids }) => items + ids.length, 0);
}

/** Partitions of one account each. */
function batchesOf(partitions: readonly ClaimedPartition[]): ClaimedPartition[][] {
  return [...new Set(partitions.map(({ accountId }) => accountId))].flatMap((account) => {
    const own = partitions.filter(({ accountId }) => accountId === account);
    const count = Math.ceil(own.length / partitionsTogether);
    return Array.from({ length: count }, (_, n) =>
      own.slice(n * partitionsTogether, (n + 1) * partitionsTogether),
    );
  });
}

/** @returns the partitions to apply item by item; all after a fault, so that one item alone fails. */
async function applyTogether(
  { dataSource, log }: DrainDeps,
  partitions: readonly ClaimedPartition[],
) {
  try {
    const options = systemOf(partitions[0]?.accountId);
    return await transaction(dataSource, options, (tx) => applyStatuses(tx, partitions));
  } catch (error) {
    log.warn({ err: error, partitions: partitions.length }, "channels.batch_failed");
    return partitions;
  }
}

/** The items of a partition in their order. Behind an item that failed the partition waits for its next try. */
async function applyPartition(
  deps: DrainDeps,
  { accountId, ids }: ClaimedPartition,
): Promise<void> {
  for (const [index, id] of ids.entries()) {
    if (await applyOne(deps, accountId, id)) continue;
    const rest = ids.slice(index + 1);
    await transaction(deps.dataSource, systemOf(accountId), (tx) => releaseItems(tx, rest));
    return;
  }
}

/** @returns false if the item failed. */
async function applyOne(
  { dataSource, log }: DrainDeps,
  accountId: number,
  id: number,
): Promise<boolean> {
  const options = systemOf(accountId);
  try {
    await transaction(dataSource, options, (tx) => applyItem(tx, id));
    return true;
  } catch (error) {
    log.error({ err: error, channel_item_id: id }, "channels.item_failed");
    await transaction(dataSource, options, (tx) => failItem(tx, id, reasonOf(error)));
    return false;
  }
}

/** Class and code of an error. Its message may hold a customer's words. */
function reasonOf(error: unknown): string {
  const number = errorNumber(error);
  if (number !== null) return `mysql_${number}`;
  return (error instanceof Error ? error.name : "error").slice(0, maxReasonLength);
}
