import type { EntityManager } from "typeorm";
import type { VisitConversation } from "../../model/widget-visit.ts";
import { placeholders } from "../sql.ts";

/** State of a conversation for its visitor. */
export interface VisitState {
  conversation: VisitConversation;
  /** The AI agent answers. */
  isAgentOn: boolean;
}

interface StateRow {
  id: number;
  status: VisitConversation["status"];
  botEnabled: number;
  seenMessageId: number | null;
}

/**
 * States of conversations of any accounts, in one statement. Conversations that were erased are left
 * out. A person has seen all messages of the visitor except the last `unread_count` ones.
 */
export async function readVisitConversations(
  manager: EntityManager,
  conversationIds: readonly number[],
): Promise<Map<number, VisitState>> {
  if (conversationIds.length === 0) return new Map();
  const rows = await manager.query<StateRow[]>(
    `SELECT c.id, c.status, c.bot_enabled AS botEnabled,
            IF(c.unread_count = 0,
               (SELECT m.id FROM messages m FORCE INDEX (messages_conversation)
                 WHERE m.conversation_id = c.id AND m.direction = 'inbound'
                 ORDER BY m.id DESC LIMIT 1),
               (SELECT m.id FROM
                  (SELECT x.id, ROW_NUMBER() OVER (ORDER BY x.id DESC) AS place
                     FROM messages x FORCE INDEX (messages_conversation)
                    WHERE x.conversation_id = c.id AND x.direction = 'inbound') m
                 WHERE m.place = c.unread_count + 1)) AS seenMessageId
       FROM conversations c WHERE c.id IN (${placeholders(conversationIds)})`,
    [...conversationIds],
  );
  return new Map(rows.map((row) => [Number(row.id), stateOf(row)]));
}

function stateOf({ id, status, botEnabled, seenMessageId }: StateRow): VisitState {
  return {
    conversation: {
      id: Number(id),
      status,
      seen_message_id: seenMessageId === null ? null : Number(seenMessageId),
    },
    isAgentOn: Number(botEnabled) === 1,
  };
}

/** State of one conversation; null before the first message. */
export async function readVisitConversation(
  manager: EntityManager,
  conversationId: number | null,
): Promise<VisitConversation | null> {
  if (conversationId === null) return null;
  const states = await readVisitConversations(manager, [conversationId]);
  return states.get(conversationId)?.conversation ?? null;
}
