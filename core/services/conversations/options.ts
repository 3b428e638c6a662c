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
import { asLocale, type Locale } from "../../model/user.ts";
import { getChannelAccount } from "../conversation-records/conversation-records.ts";

/**
 * Options in the form that the conversation's channel shows, and the text that the customer reads.
 * @param isListed the body has the numbered lines already, for a channel that shows no options
 * @param language of the button that opens a list; the account's unless given
 */
export async function openOptions(
  tx: Tx,
  conversation: Conversation,
  interactive: Interactive,
  { isListed = false, language }: { isListed?: boolean; language?: Locale } = {},
): Promise<{ interactive: SentInteractive; text: string }> {
  const { driver } = await getChannelAccount(tx, conversation.channelAccountId);
  const [account] = await tx.manager.query<{ locale: string }[]>(
    "SELECT locale FROM accounts WHERE id = ?",
    [conversation.accountId],
  );
  const locale = language ?? asLocale(account?.locale ?? "");
  const opened = composeInteractive(driver, interactive, locale);
  const isText = opened.interactive.sent_as === "text";
  return isText && isListed ? { ...opened, text: interactive.body } : opened;
}

/** True where the body of a stored message has its options as numbered lines of its own. */
export function isListedIn(
  content: string | null,
  sent: Pick<SentInteractive, "body" | "sent_as">,
): boolean {
  return sent.sent_as === "text" && content === sent.body;
}

/** An option that a customer chose by its number, in a text of their own. */
export interface NumberedAnswer {
  /** The message with the options. */
  messageId: number;
  interactive: { type: "text_reply"; id: string; title: string };
}

/** Text of a message of the customer. A typed number of an option counts as the option's title. */
export function saidIn({
  content,
  interactive,
}: {
  content: string | null;
  interactive: object | null;
}): string | null {
  const { type, title } = (interactive ?? {}) as { type?: unknown; title?: unknown };
  return type === "text_reply" && typeof title === "string" ? title : content;
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
        AND status NOT IN ('failed', 'cancelled') AND deleted_at IS NULL AND imported = 0
        ${answeredId === null ? "" : "AND id = ?"}
      ORDER BY id DESC LIMIT 1`,
    answeredId === null ? [conversationId] : [conversationId, answeredId],
  );
  const sent = readSentInteractive(asked?.interactive ?? null);
  if (asked === undefined || sent?.sent_as !== "text") return null;
  const option = findNumbered(sent.options, content);
  if (option === null) return null;
  const { id, title } = option;
  return { messageId: Number(asked.id), interactive: { type: "text_reply", id, title } };
}
