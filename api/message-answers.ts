import type { MessageListQuery, MessageSendBody } from "../core/model/message.ts";
import { presentMessage } from "../core/services/conversations/message-records.ts";
import { listMessages, sendMessage } from "../core/services/conversations/messages.ts";
import type { Tx } from "../db/transaction.ts";

/** A conversation's messages, as the answer of API v1 and the Dashboard. */
export async function answerMessages(tx: Tx, id: number, query: MessageListQuery) {
  const { rows, total, nextBeforeId } = await listMessages(tx, id, query);
  const meta = { total, limit: query.limit, next_before_id: nextBeforeId };
  return { data: rows.map(presentMessage), meta };
}

/** Sends a message. A repeated `external_id` answers with the first message (rule C24). */
export async function answerSent(tx: Tx, id: number, body: MessageSendBody) {
  const { row, created } = await sendMessage(tx, id, body);
  return { status: created ? 201 : 200, data: presentMessage(row) };
}
