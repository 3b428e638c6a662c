import type { DataSource } from "typeorm";
import { errorNumber } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { applyItem } from "../../core/services/channels/apply-item.ts";
import { applyStatuses } from "../../core/services/channels/apply-statuses.ts";
import { failItem } from "../../core/services/channels/channel-items.ts";
import {
  claimPartitions,
  createPartitionPlace,
  releaseItems,
  type ClaimedPartition,
  type PartitionPlace,
} from "../../core/services/channels/claim-partitions.ts";
import { failOldestWebhook, splitWebhooks } from "../../core/services/channels/channel-webhooks.ts";
import { findChannelWork } from "../../core/services/channels/channel-work.ts";
import { oneStatement, systemOf, transaction } from "../../db/transaction.ts";
import { createBell, type Bell, type PauseLimits, type SeenPartition } from "./bell.ts";

/** Claimed partitions that are applied at once. */
const appliedAtOnce = 8;
/** Partitions of statuses of one transaction. */
const partitionsTogether = 50;
const busyPollMs = 5;
const idlePollMs = 100;
/** While rings announce new webhooks. The poll finds those whose ring was lost. */
const calmPollMs = 1_000;
const faultMs = 1_000;
const maxReasonLength = 64;

/** Dependencies of the drain. */
export interface DrainDeps {
  dataSource: DataSource;
  log: Logger;
  /** Without one the drain polls alone. */
  channelBell?: Bell | undefined;
}

/** The loop that turns stored webhooks into messages, statuses and the rest. */
export interface ChannelDrain {
  /** Stops, and resolves after the items in progress. */
  stop(): Promise<void>;
}

/** Result of one look. */
interface Drained {
  /** Webhooks that were split, and items that were tried. */
  done: number;
  /** Apps that had a webhook. */
  apps: readonly number[];
  /** Time in ms until an item is due, infinite where none waits; 0 where work may be left. */
  calmMs: number;
}

/**
 * Creates a drain that looks only when it is told to.
 * @returns its look, which returns the number of webhooks that were split and items that were tried
 */
export function createDrain(deps: DrainDeps): { drainOnce: () => Promise<number> } {
  const place = createPartitionPlace();
  return { drainOnce: async () => (await drain(deps, place)).done };
}

/**
 * Starts the drain. Any number may run, in any number of processes: an app is split under a lock,
 * and an item is claimed by a lease. So a crash delays items, and none is lost or applied twice.
 */
export function startDrain(deps: DrainDeps): ChannelDrain {
  const stopping = new AbortController();
  const loop = runLoop(deps, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

async function runLoop(deps: DrainDeps, stopping: AbortSignal): Promise<void> {
  const { log, channelBell: bell = createBell() } = deps;
  const place = createPartitionPlace();
  let pauseMs = busyPollMs;
  let wasCalm = false;
  while (!stopping.aborted) {
    let limits: PauseLimits;
    try {
      const reason = bell.beginLook();
      const { done, apps, calmMs } = await drain(deps, place);
      // The work of one ring may take several looks, so a poll after a busy look proves nothing.
      bell.recordFound(reason === "poll" && wasCalm ? apps.map(arrivedNow) : []);
      wasCalm = calmMs > 0;
      pauseMs = done > 0 ? busyPollMs : Math.min(pauseMs * 1.2, idlePollMs);
      const isRare = wasCalm && bell.isReliable();
      const mostMs = isRare ? Math.min(calmMs + 1, calmPollMs) : pauseMs;
      limits = { mostMs, ringAfterMs: busyPollMs };
    } catch (error) {
      log.error({ err: error }, "channels.drain_failed");
      wasCalm = false;
      limits = { mostMs: faultMs * (0.5 + Math.random() / 2), ringAfterMs: null };
    }
    await bell.pause(limits, stopping);
  }
}

/** The clock of an API process says nothing about the time of its ring, so none is compared. */
function arrivedNow(app: number): SeenPartition {
  return { key: String(app), ageMs: 0 };
}

async function drain(deps: DrainDeps, place: PartitionPlace): Promise<Drained> {
  const { apps, nextItemMs } = await oneStatement(deps.dataSource, systemOf(), findChannelWork);
  let webhooks = 0;
  for (const id of apps) webhooks += await splitApp(deps, id);
  const mayBeDue = webhooks > 0 || nextItemMs <= 0;
  const items = mayBeDue ? await applyDue(deps, place) : 0;
  const isCalm = apps.length === 0 && nextItemMs > 0;
  return { done: webhooks + items, apps, calmMs: isCalm ? nextItemMs : 0 };
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
