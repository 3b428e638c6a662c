import { createAgentMessage } from "../../core/services/conversations/agent-messages.ts";
import { messageSendBody } from "../../core/model/message.ts";
import type { SendMessageInput } from "../../core/model/workflow/sending.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import type { ConversationFixture } from "./conversation-fixture.ts";

/** A message that a program has sent and no worker has seen. */
export async function queueMessage(
  conversations: ConversationFixture,
  content: string,
  conversationId?: number,
): Promise<SendMessageInput> {
  const id = conversationId ?? (await conversations.openConversation());
  const { row } = await conversations.run((tx) =>
    sendMessage(tx, id, messageSendBody.parse({ content })),
  );
  return { accountId: conversations.accountId, messageId: row.id };
}

/** A message that the AI agent has sent and no worker has seen. */
export async function queueOfAgent(
  conversations: ConversationFixture,
  conversationId: number,
): Promise<SendMessageInput> {
  const row = await conversations.run((tx) =>
    createAgentMessage(tx, {
      conversationId,
      epoch: 0,
      watermark: Number.MAX_SAFE_INTEGER,
      content: "Thursday at ten?",
    }),
  );
  return { accountId: conversations.accountId, messageId: row?.id ?? 0 };
}

/** The columns that tell how a message stands. */
export interface MessageRow {
  status: string;
  error: { code: string; provider_code: string | null } | null;
  tries: number;
  provider_id: string | null;
  in_flight_since: Date | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
}

export async function readMessage(
  conversations: ConversationFixture,
  { messageId }: SendMessageInput,
): Promise<MessageRow | undefined> {
  const [row] = await conversations.sql<MessageRow>(
    `SELECT status, error, tries, provider_id, in_flight_since, sent_at, delivered_at, read_at
       FROM messages WHERE id = ?`,
    [messageId],
  );
  return row;
}

/** How many events of each type there are about a message. */
export async function countEvents(
  conversations: ConversationFixture,
  { messageId }: SendMessageInput,
): Promise<Record<string, number>> {
  const rows = await conversations.sql<{ type: string; n: number }>(
    `SELECT type, COUNT(*) AS n FROM events
      WHERE JSON_EXTRACT(CONVERT(body USING utf8mb4), '$.data.message_id') = ? GROUP BY type`,
    [messageId],
  );
  return Object.fromEntries(rows.map(({ type, n }) => [type, Number(n)]));
}
