import type { EntityManager } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import type { ChangeKind } from "../../model/change.ts";
import { dayMs } from "../../model/durations.ts";
import { placeholders } from "../sql.ts";

/** A change for live views, by the ids of the rows that it concerns. */
export interface ChangeRecord {
  kind: ChangeKind;
  conversationId?: number | null;
  contactId?: number | null;
  messageId?: number | null;
  deliveryId?: number | null;
  subscriptionId?: number | null;
}

/** Records a change, in the transaction that makes the change. */
export async function recordChange(tx: Tx, change: ChangeRecord): Promise<void> {
  await recordChanges(tx, [change]);
}

/** Records changes in one statement, in the transaction that makes them. */
export async function recordChanges(tx: Tx, changes: readonly ChangeRecord[]): Promise<void> {
  if (changes.length === 0) return;
  if (tx.notes !== undefined) tx.notes.hasChanges = true;
  await tx.manager.query(
    `INSERT INTO changes (account_id, kind, conversation_id, contact_id, message_id, delivery_id,
                          subscription_id, created_at)
     VALUES ${changes.map(() => "(?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    changes.flatMap((change) => [
      tx.actor.accountId,
      change.kind,
      change.conversationId ?? null,
      change.contactId ?? null,
      change.messageId ?? null,
      change.deliveryId ?? null,
      change.subscriptionId ?? null,
      tx.now,
    ]),
  );
}

/**
 * Records that a delivery, or many deliveries of a subscription, got another state. A delivery that
 * arrives at its first attempt is not recorded. Nearly all deliveries do, and each would cost a
 * row.
 */
export async function recordDeliveryChange(
  tx: Tx,
  ids: { deliveryId: number } | { subscriptionId: number },
): Promise<void> {
  await recordChange(tx, { kind: "delivery.updated", ...ids });
}

/** Records that a subscription was added, changed, given another state, tested or deleted. */
export async function recordSubscriptionChange(tx: Tx, subscriptionId: number): Promise<void> {
  await recordChange(tx, { kind: "subscription.updated", subscriptionId });
}

/** A change with its number, as it was recorded. */
export interface NumberedChange {
  seq: number;
  account_id: number;
  kind: ChangeKind;
  conversation_id: number | null;
  contact_id: number | null;
  message_id: number | null;
  delivery_id: number | null;
  subscription_id: number | null;
}

/** State of the numbering of changes. */
export interface ChangeSequenceState {
  /** The highest number that was assigned. */
  lastSeq: number;
  /** The highest number that was purged. */
  purgedSeq: number;
  /** True while a committed change waits for its number. */
  unnumbered: boolean;
}

/** Maximum number of changes that one transaction numbers, and that one page holds. */
export const changePageSize = 1_000;
/** Retention of changes, for clients that reconnect. */
const keptMs = dayMs;
const purgeSize = 500;
const columns =
  "seq, account_id, kind, conversation_id, contact_id, message_id, delivery_id, subscription_id";

/**
 * Assigns numbers to committed changes, one page at a time. Numbers are assigned under one lock,
 * and are visible from its commit on. So a reader that reads all numbers above the last one that it
 * saw misses none.
 * @returns number of changes that got a number.
 */
export async function numberChanges(tx: Tx): Promise<number> {
  const lastSeq = await lockSequence(tx, "last_seq");
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM changes FORCE INDEX (changes_seq) WHERE seq IS NULL ORDER BY id LIMIT ?`,
    [changePageSize],
  );
  if (rows.length === 0) return 0;
  // By ids, and joined in this order: a scan would wait for changes whose transactions are open.
  await tx.manager.query(
    `UPDATE ${listedIds} STRAIGHT_JOIN changes ON changes.id = listed.id
        SET changes.seq = ? + listed.place`,
    [JSON.stringify(rows.map(({ id }) => id)), lastSeq],
  );
  await tx.manager.query("UPDATE change_sequence SET last_seq = ? WHERE id = 1", [
    lastSeq + rows.length,
  ]);
  return rows.length;
}

/** Rows from a JSON list of ids, which is the parameter. */
const listedIds = `JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY, id BIGINT UNSIGNED PATH '$')) AS listed`;

async function lockSequence(tx: Tx, column: "last_seq" | "purged_seq"): Promise<number> {
  const [row] = await tx.manager.query<{ value: number }[]>(
    `SELECT ${column} AS value FROM change_sequence WHERE id = 1 FOR UPDATE`,
  );
  return Number(row?.value);
}

/** State of the numbering, read in one statement without locks. */
export async function readChangeSequence(manager: EntityManager): Promise<ChangeSequenceState> {
  const [row] = await manager.query<{ last_seq: number; purged_seq: number; unnumbered: number }[]>(
    `SELECT last_seq, purged_seq, EXISTS (SELECT 1 FROM changes WHERE seq IS NULL) AS unnumbered
       FROM change_sequence WHERE id = 1`,
  );
  return {
    lastSeq: Number(row?.last_seq),
    purgedSeq: Number(row?.purged_seq),
    unnumbered: Number(row?.unnumbered) === 1,
  };
}

/** A page of the changes of all accounts above `after`, in the order of their numbers. */
export async function listNewChanges(
  manager: EntityManager,
  after: number,
): Promise<NumberedChange[]> {
  return await manager.query(
    `SELECT ${columns} FROM changes FORCE INDEX (changes_seq)
      WHERE seq > ? ORDER BY seq LIMIT ?`,
    [after, changePageSize],
  );
}

/**
 * A page of the changes of one account above `after` and up to `upTo`.
 * @returns null where changes above `after` were purged.
 */
export async function listMissedChanges(
  manager: EntityManager,
  { accountId, after, upTo }: { accountId: number; after: number; upTo: number },
): Promise<NumberedChange[] | null> {
  const rows = await manager.query<NumberedChange[]>(
    `SELECT ${columns} FROM changes FORCE INDEX (changes_account)
      WHERE account_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
    [accountId, after, upTo, changePageSize],
  );
  // Read after the page, so that a purge which affected the page is visible here for certain.
  const { purgedSeq } = await readChangeSequence(manager);
  return purgedSeq > after ? null : rows;
}

/** A page of the changes of some conversations above `after` and up to `upTo`, in their order. */
export async function listConversationChanges(
  manager: EntityManager,
  range: { conversationIds: readonly number[]; after: number; upTo: number },
): Promise<NumberedChange[]> {
  const { conversationIds, after, upTo } = range;
  if (conversationIds.length === 0) return [];
  return await manager.query<NumberedChange[]>(
    `SELECT ${columns} FROM changes FORCE INDEX (changes_conversation)
      WHERE conversation_id IN (${placeholders(conversationIds)}) AND seq > ? AND seq <= ?
      ORDER BY seq LIMIT ?`,
    [...conversationIds, after, upTo, changePageSize],
  );
}

/**
 * Deletes a small batch of the oldest changes once they are 24 h old.
 * @returns number of deleted changes.
 */
export async function purgeChanges(tx: Tx): Promise<number> {
  const purgedSeq = await lockSequence(tx, "purged_seq");
  const rows = await tx.manager.query<{ id: number; seq: number; created_at: Date }[]>(
    `SELECT id, seq, created_at FROM changes FORCE INDEX (changes_seq)
      WHERE seq > ? ORDER BY seq LIMIT ?`,
    [purgedSeq, purgeSize],
  );
  const kept = rows.findIndex(({ created_at }) => tx.now.getTime() - created_at.getTime() < keptMs);
  const old = kept === -1 ? rows : rows.slice(0, kept);
  const last = old.at(-1);
  if (last === undefined) return 0;
  await tx.manager.query(
    `DELETE changes FROM ${listedIds} STRAIGHT_JOIN changes ON changes.id = listed.id`,
    [JSON.stringify(old.map(({ id }) => id))],
  );
  await tx.manager.query("UPDATE change_sequence SET purged_seq = ? WHERE id = 1", [last.seq]);
  return old.length;
}
