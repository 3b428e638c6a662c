import type { SelectQueryBuilder } from "typeorm";
import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { SqlPart } from "../sql.ts";

/**
 * Place of a message in its conversation: threads are in the order of time, then of ids. Ids alone
 * would put the messages of an imported chat last.
 */
export interface ThreadPlace {
  createdAt: Date;
  id: number;
}

/** Place of a message by its id. A message that is gone has the time of the one before it. */
export async function findThreadPlace(
  tx: Tx,
  conversationId: number,
  id: number,
): Promise<ThreadPlace> {
  const [row] = await tx.manager.query<{ createdAt: Date }[]>(
    `SELECT created_at AS createdAt FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND account_id = ? AND id <= ? ORDER BY id DESC LIMIT 1`,
    [conversationId, tx.actor.accountId, id],
  );
  return { createdAt: row?.createdAt ?? new Date(0), id };
}

/** Messages of a conversation, read by the index of the order. */
export function threadOf(tx: Tx, conversationId: number): SelectQueryBuilder<Message> {
  return (
    tx.manager
      .createQueryBuilder(Message, "m")
      // Without a hint MySQL may sort the whole conversation by another index with the same prefix.
      .useIndex("messages_thread")
      .where("m.conversation_id = :conversationId", { conversationId })
  );
}

/** Sides of a place. The first two leave its message out. */
type Side = "older" | "newer" | "up to" | "from";

const signs: Readonly<Record<Side, readonly [range: string, id: string]>> = {
  older: ["<", "<"],
  newer: [">", ">"],
  "up to": ["<", "<="],
  from: [">", ">="],
};

/** Limits messages to a side of a place. */
export function onSide(
  messages: SelectQueryBuilder<Message>,
  side: Side,
  { createdAt, id }: ThreadPlace,
): SelectQueryBuilder<Message> {
  const [range, byId] = signs[side];
  // The first condition is the range of the index. MySQL would read all for the second one alone.
  return messages
    .andWhere(`m.created_at ${range}= :createdAt`)
    .andWhere(`(m.created_at ${range} :createdAt OR m.id ${byId} :id)`)
    .setParameters({ createdAt, id });
}

/** The same condition for a statement without an alias. */
export function sideOf(side: Side, { createdAt, id }: ThreadPlace): SqlPart {
  const [range, byId] = signs[side];
  return {
    sql: `created_at ${range}= ? AND (created_at ${range} ? OR id ${byId} ?)`,
    values: [createdAt, createdAt, id],
  };
}

/** Orders messages by their places. */
export function inThreadOrder(
  messages: SelectQueryBuilder<Message>,
  direction: "ASC" | "DESC",
): SelectQueryBuilder<Message> {
  return messages.orderBy("m.created_at", direction).addOrderBy("m.id", direction);
}
