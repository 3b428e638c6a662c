import type { SelectQueryBuilder } from "typeorm";
import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessagePlaceQuery, MessageSearchQuery } from "../../model/message-places.ts";
import type { LogPage } from "../../model/page.ts";
import { cutPage, escapeLike } from "../sql.ts";
import { getConversationRow } from "../conversation-records/conversation-records.ts";
import { listMessages } from "./messages.ts";
import {
  findThreadPlace,
  inThreadOrder,
  onSide,
  sideOf,
  threadOf,
  type ThreadPlace,
} from "./thread-order.ts";

/** A page of a conversation, newest first, that may continue in both directions. */
export interface PlacedPage extends LogPage<Message> {
  /** `after_id` of the page of newer messages; null at the newest message. */
  previous: number | null;
}

/**
 * Messages of a conversation at the place that the query names.
 * @throws AppError `conversation_not_found`
 */
export async function listMessagesAt(
  tx: Tx,
  conversationId: number,
  { at, after_id: after, around_id: named, before_id, limit }: MessagePlaceQuery,
): Promise<PlacedPage> {
  const around = at === undefined ? named : await findMessageFrom(tx, conversationId, at);
  if (after === undefined && around === undefined) {
    const page = await listMessages(tx, conversationId, { limit, before_id });
    return { ...page, previous: before_id === undefined ? null : (page.rows[0]?.id ?? null) };
  }
  await getConversationRow(tx, conversationId);
  const all = threadOf(tx, conversationId);
  const total = await all.getCount();
  // Half of the page is newer than the message, and the other half ends with it.
  const newerLimit = after === undefined ? Math.floor(limit / 2) : limit;
  const edge = await findThreadPlace(tx, conversationId, after ?? around ?? 0);
  const olderLimit = limit - newerLimit;
  const newer = await newerThan(all, edge, newerLimit);
  const older = await upTo(all, edge, after === undefined ? olderLimit : 0);
  const olderRows = after === undefined ? older.slice(0, olderLimit) : [];
  const rows = [...newer.slice(0, newerLimit).toReversed(), ...olderRows];
  const next = older.length > olderRows.length ? (rows.at(-1)?.id ?? edge.id + 1) : null;
  const previous = newer.length > newerLimit ? (rows[0]?.id ?? edge.id) : null;
  return { rows, total, totalAtLeast: false, next, previous };
}

/** Up to `limit` messages behind `edge` and one more, oldest first. */
async function newerThan(all: SelectQueryBuilder<Message>, edge: ThreadPlace, limit: number) {
  return await inThreadOrder(onSide(all.clone(), "newer", edge), "ASC")
    .limit(limit + 1)
    .getMany();
}

/** Up to `limit` messages that end with `edge` and one more, newest first. */
async function upTo(all: SelectQueryBuilder<Message>, edge: ThreadPlace, limit: number) {
  return await inThreadOrder(onSide(all.clone(), "up to", edge), "DESC")
    .limit(limit + 1)
    .getMany();
}

interface PlacedRow {
  id: number;
  createdAt: Date;
}

/** Id of the first message from `at` on, else of the newest message; 0 without messages. */
async function findMessageFrom(tx: Tx, conversationId: number, at: Date): Promise<number> {
  const read = async (condition: string, values: unknown[]): Promise<number | undefined> => {
    const [row] = await tx.manager.query<{ id: number }[]>(
      `SELECT id FROM messages FORCE INDEX (messages_thread)
        WHERE conversation_id = ? AND account_id = ? ${condition} LIMIT 1`,
      [conversationId, tx.actor.accountId, ...values],
    );
    return row === undefined ? undefined : Number(row.id);
  };
  return (
    (await read("AND created_at >= ? ORDER BY created_at, id", [at])) ??
    (await read("ORDER BY created_at DESC, id DESC", [])) ??
    0
  );
}

/** Messages that one page of a search reads. It keeps a page below about 100 ms. */
const scanned = 10_000;

/** Messages that a search found, newest first, and the key of the next page. */
export interface FoundMessages {
  rows: PlacedRow[];
  next: number | null;
}

/**
 * Messages of a conversation whose text or caption contains `q`, in any case and with any accents.
 * A page reads 10,000 messages at most, so an empty page may have a next page.
 * @throws AppError `conversation_not_found`
 */
export async function searchMessages(
  tx: Tx,
  conversationId: number,
  { q, limit, before_id: before }: MessageSearchQuery,
): Promise<FoundMessages> {
  await getConversationRow(tx, conversationId);
  const end =
    before === undefined
      ? { sql: "TRUE", values: [] }
      : sideOf("older", await findThreadPlace(tx, conversationId, before));
  const own = `FROM messages FORCE INDEX (messages_thread)
     WHERE conversation_id = ? AND account_id = ? AND ${end.sql}`;
  const values = [conversationId, tx.actor.accountId, ...end.values];
  const [floor] = await tx.manager.query<PlacedRow[]>(
    `SELECT id, created_at AS createdAt ${own}
      ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ${scanned - 1}`,
    values,
  );
  const begin = floor === undefined ? { sql: "TRUE", values: [] } : sideOf("from", floor);
  const found = await tx.manager.query<PlacedRow[]>(
    `SELECT id, created_at AS createdAt ${own} AND ${begin.sql} AND content LIKE ?
      ORDER BY created_at DESC, id DESC LIMIT ?`,
    [...values, ...begin.values, `%${escapeLike(q)}%`, limit + 1],
  );
  const { page, next } = cutPage(found, limit);
  const rows = page.map((row) => ({ ...row, id: Number(row.id) }));
  const rest = floor === undefined ? null : Number(floor.id);
  return { rows, next: next === null ? rest : Number(next.id) };
}
