import type { Tx } from "../../../db/transaction.ts";
import { placeholders } from "../sql.ts";

/** Items to apply in this order, one after the other. After a failure the rest must wait. */
export interface ClaimedPartition {
  accountId: number;
  /** All items are statuses, or none is. */
  areStatuses: boolean;
  ids: number[];
}

/**
 * The place up to which a process has looked, so that the next look begins behind it. Channel
 * accounts take turns, and so do the partitions of each.
 */
export interface PartitionPlace {
  channelAccountId: number;
  /** The last customer that was looked at, by channel account. */
  customers: Map<number, string>;
}

/** Lease of a claim. After that another process takes the items of a dead one over. */
const leaseSeconds = 30;
/** Items that one look at a channel account reads, however many there are. */
const looked = 100;
const maxLooks = 4;
const maxPartitions = 100;
/** Items of one partition in one claim, so that a flood of one customer leaves room for the others. */
const maxOfPartition = 20;
/**
 * Items of one look that are applied one by one, as all but statuses are, and of a claim. The next
 * claim waits for them, and so does the message of another channel account.
 */
const maxSinglyOfLook = 24;
const maxSinglyOfClaim = 48;

/** A place before all partitions. */
export function createPartitionPlace(): PartitionPlace {
  return { channelAccountId: 0, customers: new Map() };
}

/**
 * Claims the oldest items of some partitions, and items that waited for a message. A partition whose oldest
 * item is not due, or is another process's, gives nothing, so that it stays in order. A claim reads
 * some hundred rows at most. `place` moves on even if the transaction fails, which costs a round.
 */
export async function claimPartitions(tx: Tx, place: PartitionPlace): Promise<ClaimedPartition[]> {
  const partitions = [...(await lookForPartitions(tx, place)), ...(await listWaiting(tx))];
  const mine = await lockDue(
    tx,
    partitions.flatMap(({ ids }) => ids),
  );
  const claimed = partitions.flatMap((partition) => {
    const ids = takeWhile(partition.ids, (id) => mine.has(id));
    return ids.length === 0 ? [] : [{ ...partition, ids }];
  });
  const ids = claimed.flatMap((partition) => partition.ids);
  if (ids.length === 0) return [];
  await tx.manager.query(
    `UPDATE channel_items SET due_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND
      WHERE id IN (${placeholders(ids)})`,
    [leaseSeconds, ...ids],
  );
  return claimed;
}

/** Gives claimed items back, because an older one of their partition has failed. */
export async function releaseItems(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.manager.query(
    `UPDATE channel_items SET due_at = ?
      WHERE id IN (${placeholders(ids)}) AND state IN ('pending', 'waiting')`,
    [tx.now, ...ids],
  );
}

interface Item {
  id: number;
  accountId: number;
  customer: string;
  kind: string;
  isDue: number;
}

async function lookForPartitions(tx: Tx, place: PartitionPlace): Promise<ClaimedPartition[]> {
  // By the first item: the last look may come to partitions of the first one again.
  const partitions = new Map<number, ClaimedPartition>();
  const seen = new Set<number>();
  const isFull = () =>
    partitions.size >= maxPartitions || countSingly(partitions.values()) >= maxSinglyOfClaim;
  for (let looks = 0; looks < maxLooks && !isFull(); looks += 1) {
    const channelAccountId = await findNext(tx, place.channelAccountId);
    if (channelAccountId === null || seen.has(channelAccountId)) break;
    place.channelAccountId = channelAccountId;
    const after = place.customers.get(channelAccountId);
    const items = await listAfter(tx, channelAccountId, after);
    const { taken, lastCustomer } = takeSome(items);
    // Behind the last customer that this claim takes, where it leaves others.
    const stopped = lastCustomer ?? (items.length < looked ? undefined : items.at(-1)?.customer);
    if (stopped === undefined) {
      place.customers.delete(channelAccountId);
      // A look from the first customer to the last one has seen them all.
      if (after === undefined) seen.add(channelAccountId);
    } else {
      place.customers.set(channelAccountId, stopped);
    }
    for (const partition of taken) partitions.set(partition.ids[0] ?? 0, partition);
  }
  return [...partitions.values()];
}

/** The first channel account behind this one that has a pending item, else the first of all. */
async function findNext(tx: Tx, channelAccountId: number): Promise<number | null> {
  for (const after of new Set([channelAccountId, 0])) {
    const [row] = await tx.manager.query<{ id: number }[]>(
      `SELECT channel_account_id AS id FROM channel_items FORCE INDEX (channel_items_lane)
        WHERE state = 'pending' AND channel_account_id > ? ORDER BY channel_account_id LIMIT 1`,
      [after],
    );
    if (row !== undefined) return Number(row.id);
  }
  return null;
}

/** Pending items by customer and age. An item without a customer has the empty one. */
async function listAfter(
  tx: Tx,
  channelAccountId: number,
  customer: string | undefined,
): Promise<Item[]> {
  return await tx.manager.query<Item[]>(
    `SELECT id, account_id AS accountId, customer, kind, due_at <= UTC_TIMESTAMP(3) AS isDue
       FROM channel_items FORCE INDEX (channel_items_lane)
      WHERE state = 'pending' AND channel_account_id = ?
        AND customer ${customer === undefined ? ">=" : ">"} ? ORDER BY customer, id LIMIT ?`,
    [channelAccountId, customer ?? "", looked],
  );
}

/**
 * Partitions of a look, as far as `maxSinglyOfLook` reaches.
 * @returns `lastCustomer` null where no customer is left for the next look
 */
function takeSome(items: readonly Item[]): {
  taken: ClaimedPartition[];
  lastCustomer: string | null;
} {
  const ofCustomer = new Map<string, Item[]>();
  for (const item of items) {
    const partition = ofCustomer.get(item.customer);
    if (partition === undefined) ofCustomer.set(item.customer, [item]);
    else partition.push(item);
  }
  const last = items.at(-1)?.customer;
  const taken: ClaimedPartition[] = [];
  for (const [customer, partition] of ofCustomer) {
    taken.push(...firstOf(partition));
    const isFull = countSingly(taken) >= maxSinglyOfLook;
    if (isFull && customer !== last) return { taken, lastCustomer: customer };
  }
  return { taken, lastCustomer: null };
}

function countSingly(partitions: Iterable<ClaimedPartition>): number {
  let count = 0;
  for (const { areStatuses, ids } of partitions) count += areStatuses ? 0 : ids.length;
  return count;
}

/** The oldest items of a partition as far as they are due, up to the first of another sort. */
function firstOf(partition: readonly Item[]): ClaimedPartition[] {
  const [first] = partition;
  if (first === undefined) return [];
  const areStatuses = first.kind === "status";
  const due = takeWhile(
    partition,
    ({ isDue, kind }) => Number(isDue) === 1 && (kind === "status") === areStatuses,
  );
  const ids = due.slice(0, maxOfPartition).map(({ id }) => Number(id));
  return ids.length === 0 ? [] : [{ accountId: Number(first.accountId), areStatuses, ids }];
}

/** Each waits for its own message, and for no other item. */
async function listWaiting(tx: Tx): Promise<ClaimedPartition[]> {
  const rows = await tx.manager.query<Pick<Item, "id" | "accountId" | "kind">[]>(
    `SELECT id, account_id AS accountId, kind FROM channel_items FORCE INDEX (channel_items_due)
      WHERE state = 'waiting' AND due_at <= UTC_TIMESTAMP(3) ORDER BY due_at, id LIMIT ?`,
    [maxPartitions],
  );
  return rows.map(({ id, accountId, kind }) => {
    return { accountId: Number(accountId), areStatuses: kind === "status", ids: [Number(id)] };
  });
}

/** Ids of those items that are still due, and that nobody else holds. */
async function lockDue(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM channel_items WHERE id IN (${placeholders(ids)})
        AND state IN ('pending', 'waiting') AND due_at <= UTC_TIMESTAMP(3)
      FOR UPDATE SKIP LOCKED`,
    [...ids],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

function takeWhile<T>(all: readonly T[], fits: (one: T) => boolean): T[] {
  const end = all.findIndex((one) => !fits(one));
  return end === -1 ? [...all] : all.slice(0, end);
}
