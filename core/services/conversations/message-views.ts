import { In, IsNull, Not } from "typeorm";
import { MessageReaction, type Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import { attachmentKinds, type AttachmentView, type ReactionView } from "../../model/attachment.ts";
import type { MessageView } from "../../model/message.ts";
import { presentReferral } from "../../model/referral.ts";
import { hasMedia } from "./message-records.ts";

/**
 * Views of messages in every REST answer, in the order of the rows. Files and reactions of all of
 * them take one statement each. The address of a file is null: the API adds it.
 */
export async function presentMessages(tx: Tx, rows: readonly Message[]): Promise<MessageView[]> {
  const files = await loadAttachments(tx, rows);
  const reactions = await loadReactions(tx, rows);
  return rows.map((row) =>
    present(row, files.get(row.id) ?? sentFile(row), reactions.get(row.id) ?? []),
  );
}

/** View of one message. */
export async function presentMessage(tx: Tx, row: Message): Promise<MessageView> {
  const files = await loadAttachments(tx, [row]);
  const reactions = await loadReactions(tx, [row]);
  return present(row, files.get(row.id) ?? sentFile(row), reactions.get(row.id) ?? []);
}

function present(
  row: Message,
  attachments: AttachmentView[],
  reactions: ReactionView[],
): MessageView {
  return {
    id: row.id,
    conversation_id: row.conversationId,
    contact_id: row.contactId,
    direction: row.direction,
    channel: row.channel,
    type: row.type,
    content: row.content,
    has_media: hasMedia(row),
    media: row.media,
    attachments,
    interactive: row.interactive as MessageView["interactive"],
    reactions,
    referral: presentReferral(row.referral),
    reply_to_message_id: row.replyToMessageId,
    sender_type: row.senderType,
    sender_user_id: row.senderUserId,
    sent_by_bot: row.senderType === "ai",
    status: row.status,
    error: row.error,
    external_id: row.externalId,
    created_at: row.createdAt.toISOString(),
    sent_at: row.sentAt?.toISOString() ?? null,
    delivered_at: row.deliveredAt?.toISOString() ?? null,
    read_at: row.readAt?.toISOString() ?? null,
    edited_at: row.editedAt?.toISOString() ?? null,
    deleted_at: row.deletedAt?.toISOString() ?? null,
  };
}

/** The file behind a `media_url`, which has no row. */
export function sentFile({ type, media }: Message): AttachmentView[] {
  if (media === null) return [];
  return [
    {
      id: null,
      kind: attachmentKinds.find((kind) => kind === type) ?? "document",
      state: "ready",
      mime_type: media.mime_type,
      size: null,
      filename: null,
      voice: false,
      url: media.url,
      thumbnail_url: null,
    },
  ];
}

/** A message says how many files it has, so most lists need no statement. */
async function loadAttachments(
  { manager }: Tx,
  rows: readonly Message[],
): Promise<Map<number, AttachmentView[]>> {
  const ids = rows.filter(({ attachmentCount }) => attachmentCount > 0).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await manager.find(MessageMedia, {
    where: { messageId: In(ids) },
    order: { messageId: "ASC", position: "ASC" },
  });
  return groupBy(found, presentAttachment);
}

/** View of a stored file, without its address. */
export function presentAttachment(row: MessageMedia): AttachmentView {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    mime_type: row.mime ?? row.declaredMime,
    size: row.size,
    filename: row.filename,
    voice: row.voice,
    url: null,
    thumbnail_url: null,
  };
}

async function loadReactions(
  { manager }: Tx,
  rows: readonly Message[],
): Promise<Map<number, ReactionView[]>> {
  // Nobody has read a queued message yet, so a call that sends needs no statement.
  const ids = rows.filter(({ status }) => status !== "queued").map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const found = await manager.findBy(MessageReaction, {
    messageId: In(ids),
    emoji: Not(IsNull()),
  });
  return groupBy(found, ({ emoji, actedAt }) => {
    return { emoji: emoji ?? "", sender_type: "contact", created_at: actedAt.toISOString() };
  });
}

function groupBy<Row extends { messageId: number }, View>(
  rows: readonly Row[],
  view: (row: Row) => View,
): Map<number, View[]> {
  const groups = new Map<number, View[]>();
  for (const row of rows) {
    const group = groups.get(row.messageId) ?? [];
    group.push(view(row));
    groups.set(row.messageId, group);
  }
  return groups;
}
