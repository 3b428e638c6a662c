import type { Tx } from "../../../db/transaction.ts";
import { placeholders } from "../sql.ts";

/** Items to apply in this order, one after the other. After a failure the rest must wait. */
export interface ClaimedLane {
  accountId: number;
  /** All items are statuses, or none is. */
  areStatuses: boolean;
  ids: number[];
}

/**
 * The place up to which a process has looked, so that the next look begins behind it. Channel
 * accounts take turns, and so do the lanes of each.
 */
export interface LanePlace {
  channelAccountId: number;
  /** The last customer that was looked at, by channel account. */
  customers: Map<number, string>;
}

/** Lease of a claim. After that another process takes the items of a dead one over. */
const leaseSeconds = 30;
/** Items that one look at a channel account reads, however many there are. */
const looked = 100;
const maxLooks = 4;
const maxLanes = 100;
/** Items of one lane in one claim, so that a flood of one customer leaves room for the others. */
const maxOfLane = 20;

/** A place before all lanes. */
export function createLanePlace(): LanePlace {
  return { channelAccountId: 0, customers: new Map() };
}

/** @returns true while an item is due, also one that waits for an older item of its lane. */
export async function hasDueItems(tx: Tx): Promise<boolean> {
  const rows = await tx.manager.query<unknown[]>(
    `SELECT id FROM channel_items FORCE INDEX (channel_items_due)
      WHERE state IN ('pending', 'waiting') AND due_at <= UTC_TIMESTAMP(3) LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Claims the oldest items of some lanes, and items that waited for a message. A lane whose oldest
 * item is not due, or is another process's, gives nothing, so that it stays in order. A claim reads
 * some hundred rows at most. `place` moves on even if the transaction fails, which costs a round.
 */
export async function claimLanes(tx: Tx, place: LanePlace): Promise<ClaimedLane[]> {
  const lanes = [...(await lookForLanes(tx, place)), ...(await listWaiting(tx))];
  const mine = await lockDue(
    tx,
    lanes.flatMap(({ ids }) => ids),
  );
  const claimed = lanes.flatMap((lane) => {
    const ids = takeWhile(lane.ids, (id) => mine.has(id));
    return ids.length === 0 ? [] : [{ ...lane, ids }];
  });
  const ids = claimed.flatMap((lane) => lane.ids);
  if (ids.length === 0) return [];
  await tx.manager.query(
    `UPDATE channel_items SET due_at = UTC_TIMESTAMP(3) + INTERVAL ? SECOND
      WHERE id IN (${placeholders(ids)})`,
    [leaseSeconds, ...ids],
  );
  return claimed;
}

/** Gives claimed items back, because an older one of their lane has failed. */
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

async function lookForLanes(tx: Tx, place: LanePlace): Promise<ClaimedLane[]> {
  // By the first item: the last look may come to lanes of the first one again.
  const lanes = new Map<number, ClaimedLane>();
  const seen = new Set<number>();
  for (let looks = 0; looks < maxLooks && lanes.size < maxLanes; looks += 1) {
    const channelAccountId = await findNext(tx, place.channelAccountId);
    if (channelAccountId === null || seen.has(channelAccountId)) break;
    place.channelAccountId = channelAccountId;
    const after = place.customers.get(channelAccountId);
    const items = await listAfter(tx, channelAccountId, after);
    const last = items.at(-1);
    if (items.length < looked || last === undefined) {
      place.customers.delete(channelAccountId);
      // A look from the first customer to the last one has seen them all.
      if (after === undefined) seen.add(channelAccountId);
    } else {
      place.customers.set(channelAccountId, last.customer);
    }
    for (const lane of cutLanes(items)) lanes.set(lane.ids[0] ?? 0, lane);
  }
  return [...lanes.values()];
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

function cutLanes(items: readonly Item[]): ClaimedLane[] {
  const ofCustomer = new Map<string, Item[]>();
  for (const item of items) {
    const lane = ofCustomer.get(item.customer);
    if (lane === undefined) ofCustomer.set(item.customer, [item]);
    else lane.push(item);
  }
  return [...ofCustomer.values()].flatMap(firstOf);
}

/** The oldest items of a lane as far as they are due, up to the first of another sort. */
function firstOf(lane: readonly Item[]): ClaimedLane[] {
  const [first] = lane;
  if (first === undefined) return [];
  const areStatuses = first.kind === "status";
  const due = takeWhile(
    lane,
    ({ isDue, kind }) => Number(isDue) === 1 && (kind === "status") === areStatuses,
  );
  const ids = due.slice(0, maxOfLane).map(({ id }) => Number(id));
  return ids.length === 0 ? [] : [{ accountId: Number(first.accountId), areStatuses, ids }];
}

/** Each waits for its own message, and for no other item. */
async function listWaiting(tx: Tx): Promise<ClaimedLane[]> {
  const rows = await tx.manager.query<Pick<Item, "id" | "accountId" | "kind">[]>(
    `SELECT id, account_id AS accountId, kind FROM channel_items FORCE INDEX (channel_items_due)
      WHERE state = 'waiting' AND due_at <= UTC_TIMESTAMP(3) ORDER BY due_at, id LIMIT ?`,
    [maxLanes],
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
