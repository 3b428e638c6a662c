import type { EntityManager } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { lockReported, recordReports } from "../conversations/reported-messages.ts";
import { placeholders } from "../sql.ts";

/** Place of a visitor's session, for its streams. */
export interface VisitPlace {
  sessionId: number;
  /** Changes once the visitor becomes known. */
  visitorId: string;
  /** Both null until the first message. */
  contactId: number | null;
  conversationId: number | null;
  readMessageId: number | null;
}

/** The places of sessions by session. Sessions that have ended are left out. */
export async function listVisitPlaces(
  manager: EntityManager,
  sessionIds: readonly number[],
  now: Date,
): Promise<Map<number, VisitPlace>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await manager.query<VisitPlace[]>(
    `SELECT s.id AS sessionId, s.visitor_id AS visitorId, s.contact_id AS contactId,
            s.conversation_id AS conversationId, s.read_message_id AS readMessageId
       FROM widget_sessions s
       STRAIGHT_JOIN widgets w FORCE INDEX (PRIMARY) ON w.id = s.widget_id AND w.deleted_at IS NULL
       STRAIGHT_JOIN accounts a ON a.id = s.account_id AND a.disabled_at IS NULL
      WHERE s.id IN (${placeholders(sessionIds)}) AND s.expires_at > ? AND s.ended_at IS NULL`,
    [...sessionIds, now],
  );
  return new Map(rows.map((row) => [row.sessionId, row]));
}

/** Ids of the sessions that write in some conversations. */
export async function listSessionIds(
  manager: EntityManager,
  conversationIds: readonly number[],
): Promise<number[]> {
  if (conversationIds.length === 0) return [];
  const rows = await manager.query<{ id: number }[]>(
    `SELECT id FROM widget_sessions FORCE INDEX (widget_sessions_conversation)
      WHERE conversation_id IN (${placeholders(conversationIds)}) AND ended_at IS NULL`,
    [...conversationIds],
  );
  return rows.map(({ id }) => id);
}

/** Numbers of our messages that visitors have not seen, by session; absent: none. */
export async function countUnseenMessages(
  manager: EntityManager,
  places: readonly VisitPlace[],
): Promise<Map<number, number>> {
  const rows = places.flatMap(({ sessionId, conversationId, readMessageId }) =>
    conversationId === null ? [] : [[sessionId, conversationId, readMessageId ?? 0]],
  );
  if (rows.length === 0) return new Map();
  const counts = await manager.query<{ sessionId: number; n: number }[]>(
    `SELECT p.session_id AS sessionId, COUNT(*) AS n
       FROM JSON_TABLE(?, '$[*]' COLUMNS (session_id BIGINT UNSIGNED PATH '$[0]',
              conversation_id BIGINT UNSIGNED PATH '$[1]', seen_id BIGINT UNSIGNED PATH '$[2]')) AS p
       STRAIGHT_JOIN messages m FORCE INDEX (messages_conversation)
              ON m.conversation_id = p.conversation_id AND m.id > p.seen_id
      WHERE m.direction = 'outbound' AND m.status IN ('sent', 'delivered')
      GROUP BY p.session_id`,
    [JSON.stringify(rows)],
  );
  return new Map(counts.map(({ sessionId, n }) => [Number(sessionId), Number(n)]));
}

/** Conversations, of those given, in which the AI agent prepares a reply for the visitor. */
export async function listAgentTyping(
  manager: EntityManager,
  conversationIds: readonly number[],
): Promise<Set<number>> {
  if (conversationIds.length === 0) return new Set();
  const rows = await manager.query<{ id: number }[]>(
    `SELECT open_conversation_id AS id FROM agent_turns FORCE INDEX (agent_turns_open)
      WHERE open_conversation_id IN (${placeholders(conversationIds)}) AND mode = 'live'`,
    [...conversationIds],
  );
  return new Set(rows.map(({ id }) => Number(id)));
}

/** Records that streams took these messages. Messages that are further already stay as they are. */
export async function reportDelivered(tx: Tx, messageIds: readonly number[]): Promise<void> {
  const messages = await lockReported(tx, messageIds);
  const reports = messageIds.map((messageId) => ({
    messageId,
    status: "delivered" as const,
    at: tx.now,
  }));
  await recordReports(tx, messages, reports);
}
