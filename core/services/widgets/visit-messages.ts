import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import type { WidgetSession } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, invalidField } from "../../errors.ts";
import { readSentInteractive } from "../../model/interactive.ts";
import type { VisitMessageBody } from "../../model/widget-visit.ts";
import { findIdentity } from "../contacts/contact-identities.ts";
import { receiveCustomerMessage } from "../conversations/customer-messages.ts";
import type { TakenFile } from "../conversations/outgoing-files.ts";
import { takeVisitUpload } from "./visit-uploads.ts";
import type { MessageType } from "../../model/message.ts";
import { findMessageId, findProviderId } from "../conversations/provider-ids.ts";
import { applySaid } from "./visit-contact.ts";
import { lockSession, recordVisitor, storeSession } from "./sessions.ts";
import type { LiveWidget } from "./find-widget.ts";
import type { Visit } from "./visit.ts";

/** The channel's id of a visitor's message: unique in the session, by the visitor's own id. */
export function visitMessageId({ sessionId }: Visit, clientId: string): string {
  return `v${sessionId}:${clientId}`;
}

/** Id of the message that a session has sent under this id of the visitor, or null. */
export async function findVisitMessage(
  tx: Tx,
  visit: Visit,
  clientId: string,
): Promise<number | null> {
  return await findMessageId(tx, visit.channelAccountId, visitMessageId(visit, clientId));
}

/**
 * Stores a visitor's message, like one of any channel. The first one makes the contact and the
 * conversation. The session is locked, so that many requests at once make one of each.
 * @throws AppError `session_expired`, `identity_required`, `chat_closed`, `media_not_found` for an
 * upload of another session; `validation_error` for an
 * option or a message that the conversation does not have
 */
export async function receiveVisitMessage(
  tx: Tx,
  widget: LiveWidget,
  visit: Visit,
  body: VisitMessageBody,
): Promise<{ id: number; created: boolean }> {
  const session = await lockVisit(tx, visit);
  const known = await findVisitMessage(tx, visit, body.client_id);
  if (known !== null) return { id: known, created: false };
  requireWriter(widget, session);
  const answered = await findAnsweredMessage(tx, session, body);
  const file = await takeFile(tx, session, body);
  const { row } = await receiveCustomerMessage(tx, {
    channelAccountId: visit.channelAccountId,
    from: session.visitorId,
    name: session.said?.name ?? null,
    type: typeOf(answered, file),
    content: answered.option?.title ?? body.content ?? null,
    media: null,
    file,
    providerId: visitMessageId(visit, body.client_id),
    replyToProviderId: answered.providerId,
    interactive: answered.option === null ? null : { type: "button_reply", ...answered.option },
  });
  await joinConversation(tx, session, row);
  return { id: row.id, created: true };
}

async function takeFile(
  tx: Tx,
  { id }: WidgetSession,
  { upload_id: uploadId }: VisitMessageBody,
): Promise<TakenFile | null> {
  return uploadId === undefined ? null : await takeVisitUpload(tx, id, uploadId);
}

function typeOf({ option }: AnsweredMessage, file: TakenFile | null): MessageType {
  if (file !== null) return file.kind;
  return option === null ? "text" : "interactive";
}

/**
 * Locks the session of a visit. A contact that was merged or erased meanwhile ends it, because the
 * visitor must not see another contact's conversation.
 * @throws AppError `session_expired`
 */
export async function lockVisit(tx: Tx, visit: Visit): Promise<WidgetSession> {
  const session = await lockSession(tx, visit.sessionId);
  if (session === null || session.expiresAt <= tx.now) throw new AppError("session_expired");
  if (session.contactId === null) return session;
  const channel = tx.manager.create(ChannelAccount, { id: visit.channelAccountId, channel: "web" });
  const identity = await findIdentity(tx, channel, session.visitorId);
  if (identity === null || Number(identity.contactId) !== session.contactId) {
    throw new AppError("session_expired");
  }
  return session;
}

function requireWriter(widget: LiveWidget, { verifiedSub }: WidgetSession): void {
  if (!widget.isOpen) throw new AppError("chat_closed");
  if (widget.identityMode === "required" && verifiedSub === null) {
    throw new AppError("identity_required");
  }
}

/** The session belongs to its conversation from the first message on. */
async function joinConversation(
  tx: Tx,
  session: WidgetSession,
  { contactId, conversationId }: { contactId: number; conversationId: number },
): Promise<void> {
  const isFirst = session.contactId === null;
  const isSame = session.conversationId === conversationId && session.contactId === contactId;
  if (isSame) return;
  const madeContact = session.madeContact || isFirst;
  await storeSession(tx, session, { contactId, conversationId, madeContact, lastSeenAt: tx.now });
  // Some of it may be typed, also where an identity has told the rest.
  if (isFirst && session.said !== null) await applySaid(tx, session, session.said, "typed");
  await recordVisitor(tx, session);
}

interface AnsweredMessage {
  providerId: string | null;
  option: { id: string; title: string } | null;
}

/** The message that the visitor answers, or whose option the visitor has chosen. */
async function findAnsweredMessage(
  tx: Tx,
  session: WidgetSession,
  { option_id: optionId, reply_to_message_id: replyTo }: VisitMessageBody,
): Promise<AnsweredMessage> {
  if (optionId === undefined && replyTo === undefined) return { providerId: null, option: null };
  const rows = await tx.manager.query<{ id: number; interactive: object | null }[]>(
    `SELECT id, interactive FROM messages FORCE INDEX (messages_conversation)
      WHERE conversation_id = ? AND account_id = ? AND id = COALESCE(?, id)
        AND (? IS NULL OR (direction = 'outbound' AND interactive IS NOT NULL))
      ORDER BY id DESC LIMIT 20`,
    [session.conversationId, session.accountId, replyTo ?? null, optionId ?? null],
  );
  for (const { id, interactive } of rows) {
    const options = readSentInteractive(interactive)?.options ?? [];
    const option = options.find((one) => one.id === optionId) ?? null;
    if (optionId !== undefined && option === null) continue;
    const providerId = await findProviderId(tx, session.channelAccountId, Number(id));
    const chosen = option === null ? null : { id: option.id, title: option.title };
    return { providerId, option: chosen };
  }
  if (optionId !== undefined) {
    throw invalidField("body.option_id", "unknown_option", "Name an option of this conversation.");
  }
  const message = "Name a message of this conversation.";
  throw invalidField("body.reply_to_message_id", "unknown_message", message);
}
