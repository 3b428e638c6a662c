import type { SelectQueryBuilder } from "typeorm";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessagePlaceQuery, MessageSearchQuery } from "../../model/message-places.ts";
import type { LogPage } from "../../model/page.ts";
import { cutPage, escapeLike } from "../sql.ts";
import { getConversationRow } from "./conversation-records.ts";
import { listMessages } from "./messages.ts";

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
  const all = ofConversation(tx, conversationId);
  const total = await all.getCount();
  // Half of the page is newer than the message, and the other half ends with it.
  const newerLimit = after === undefined ? Math.floor(limit / 2) : limit;
  const edge = after ?? around ?? 0;
  const olderLimit = limit - newerLimit;
  const newer = await newerThan(all, edge, newerLimit);
  const older = await upTo(all, edge, after === undefined ? olderLimit : 0);
  const olderRows = after === undefined ? older.slice(0, olderLimit) : [];
  const rows = [...newer.slice(0, newerLimit).toReversed(), ...olderRows];
  const next = older.length > olderRows.length ? (rows.at(-1)?.id ?? edge + 1) : null;
  const previous = newer.length > newerLimit ? (rows[0]?.id ?? edge) : null;
  return { rows, total, totalAtLeast: false, next, previous };
}

function ofConversation(tx: Tx, conversationId: number): SelectQueryBuilder<Message> {
  return (
    tx.manager
      .createQueryBuilder(Message, "m")
      // Without a hint MySQL may sort the whole conversation by another index with the same prefix.
      .useIndex("messages_conversation")
      .where("m.conversation_id = :conversationId", { conversationId })
  );
}

/** Up to `limit` messages behind `edge` and one more, oldest first. */
async function newerThan(all: SelectQueryBuilder<Message>, edge: number, limit: number) {
  const found = all.clone().andWhere("m.id > :edge", { edge });
  return await found
    .orderBy("m.id", "ASC")
    .limit(limit + 1)
    .getMany();
}

/** Up to `limit` messages that end with `edge` and one more, newest first. */
async function upTo(all: SelectQueryBuilder<Message>, edge: number, limit: number) {
  const found = all.clone().andWhere("m.id <= :edge", { edge });
  return await found
    .orderBy("m.id", "DESC")
    .limit(limit + 1)
    .getMany();
}

interface PlacedRow {
  id: number;
  createdAt: Date;
}

/**
 * Id of the first message from `at` on, else of the newest message; 0 without messages. Ids grow
 * with the times, so halving the ids finds the message with about 30 rows read, and needs no index.
 */
async function findMessageFrom(tx: Tx, conversationId: number, at: Date): Promise<number> {
  const read = async (condition: string, id: number): Promise<PlacedRow | undefined> => {
    const rows = await tx.manager.query<PlacedRow[]>(
      `SELECT id, created_at AS createdAt FROM messages FORCE INDEX (messages_conversation)
        WHERE conversation_id = ? AND account_id = ? AND id ${condition} LIMIT 1`,
      [conversationId, tx.actor.accountId, id],
    );
    return rows[0] && { ...rows[0], id: Number(rows[0].id) };
  };
  const first = await read(">= ? ORDER BY id ASC", 0);
  const last = await read("<= ? ORDER BY id DESC", Number.MAX_SAFE_INTEGER);
  if (first === undefined || last === undefined) return 0;
  if (last.createdAt < at) return last.id;
  // Each message below `low` is older than `at`. None from `high` on is.
  let low = first.id;
  let high = last.id;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    // oxlint-disable-next-line no-await-in-loop -- each step depends on the one before
    const row = (await read(">= ? ORDER BY id ASC", middle)) ?? last;
    if (row.createdAt < at) low = row.id + 1;
    else high = middle;
  }
  const found = await read(">= ? ORDER BY id ASC", low);
  return found?.id ?? last.id;
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
 * A page reads the range of ids of 10,000 messages at most, so an empty page may have a next page.
 * @throws AppError `conversation_not_found`
 */
export async function searchMessages(
  tx: Tx,
  conversationId: number,
  { q, limit, before_id: before = Number.MAX_SAFE_INTEGER }: MessageSearchQuery,
): Promise<FoundMessages> {
  await getConversationRow(tx, conversationId);
  const own = `FROM messages FORCE INDEX (messages_conversation)
     WHERE conversation_id = ? AND account_id = ? AND id < ?`;
  const values = [conversationId, tx.actor.accountId, before];
  const [floor] = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${scanned - 1}`,
    [conversationId, before],
  );
  const from = floor === undefined ? 0 : Number(floor.id);
  const found = await tx.manager.query<PlacedRow[]>(
    `SELECT id, created_at AS createdAt ${own} AND id >= ? AND content LIKE ?
      ORDER BY id DESC LIMIT ?`,
    [...values, from, `%${escapeLike(q)}%`, limit + 1],
  );
  const { page, next } = cutPage(found, limit);
  const rows = page.map((row) => ({ ...row, id: Number(row.id) }));
  const rest = from === 0 ? null : from;
  return { rows, next: next === null ? rest : Number(next.id) };
}
