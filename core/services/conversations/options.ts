import type { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  composeInteractive,
  findNumbered,
  readNumber,
  readSentInteractive,
  type Interactive,
  type SentInteractive,
} from "../../model/interactive.ts";
import { asLocale } from "../../model/user.ts";
import { getChannelAccount } from "./conversation-records.ts";

/** Options in the form that the conversation's channel shows, and the text that the customer reads. */
export async function openOptions(
  tx: Tx,
  conversation: Conversation,
  interactive: Interactive,
): Promise<{ interactive: SentInteractive; text: string }> {
  const { driver } = await getChannelAccount(tx, conversation.channelAccountId);
  const [account] = await tx.manager.query<{ locale: string }[]>(
    "SELECT locale FROM accounts WHERE id = ?",
    [conversation.accountId],
  );
  return composeInteractive(driver, interactive, asLocale(account?.locale ?? ""));
}

/** An option that a customer chose by its number. */
export interface NumberedAnswer {
  /** The message with the options. */
  messageId: number;
  title: string;
  interactive: { type: "text_reply"; id: string; title: string; text: string };
}

/**
 * Reads a customer's text as the number of an option. The options are those of the message that the
 * customer answers, else of our last message. Any other text between them ends the question.
 * @param answeredId the message that the customer answers, or null
 * @returns null for a text that names no option
 */
export async function findNumberedAnswer(
  tx: Tx,
  conversationId: number,
  content: string | null,
  answeredId: number | null,
): Promise<NumberedAnswer | null> {
  if (content === null || readNumber(content) === null) return null;
  const [asked] = await tx.manager.query<{ id: number; interactive: object | null }[]>(
    `SELECT id, interactive FROM messages FORCE INDEX (${answeredId === null ? "messages_conversation" : "PRIMARY"})
      WHERE conversation_id = ? AND direction = 'outbound'
        AND status NOT IN ('failed', 'cancelled') AND deleted_at IS NULL
        ${answeredId === null ? "" : "AND id = ?"}
      ORDER BY id DESC LIMIT 1`,
    answeredId === null ? [conversationId] : [conversationId, answeredId],
  );
  const sent = readSentInteractive(asked?.interactive ?? null);
  if (asked === undefined || sent?.sent_as !== "text") return null;
  const option = findNumbered(sent.options, content);
  if (option === null) return null;
  const { id, title } = option;
  const interactive = { type: "text_reply" as const, id, title, text: content };
  return { messageId: Number(asked.id), title, interactive };
}
