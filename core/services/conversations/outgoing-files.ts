import { MediaUpload } from "../../../db/entities/media-upload.ts";
import { Message } from "../../../db/entities/message.ts";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { FileKind } from "../../channels/meta/send-request.ts";
import { describeRefusal, judgeMedia, kindOfType, outgoingUrlMs } from "../../model/media.ts";
import type { MessageSendBody } from "../../model/message.ts";
import { actingUserId } from "../accounts/actor.ts";
import { recordChange } from "../outbox/changes.ts";
import { findOwned, insertRow, lockOwnedIfThere } from "../sql.ts";
import { requestMedia } from "../media/media-requests.ts";

/** A file that waits for its message. The ids of the row come from the message. */
export type TakenFile = Partial<MessageMedia> & Pick<MessageMedia, "kind" | "state">;

/** Parts of a body that name a file. `movedFrom`: the failed message whose file goes again. */
export type FileSource = Pick<MessageSendBody, "type" | "media_url" | "upload_id" | "filename"> & {
  movedFrom?: number | undefined;
};

/**
 * Takes the file that a body names, so that no other message can have it. The file of an address is
 * fetched later.
 * @param driver of the conversation's channel, whose limits count
 * @returns null for a message without a file
 * @throws AppError `upload_unavailable`, `media_too_large`, `media_type_refused`
 */
export async function takeFile(
  tx: Tx,
  driver: string,
  { type, media_url: url, upload_id: uploadId, filename, movedFrom }: FileSource,
): Promise<TakenFile | null> {
  if (type === "text" || type === "interactive") return null;
  const kind = type === "template" ? null : type;
  if (uploadId !== undefined) return await takeUpload(tx, driver, kind, uploadId);
  if (url !== undefined && kind !== null) {
    return {
      kind,
      state: "pending",
      filename: filename ?? null,
      sourceUrl: new URL(url).href,
      expiresAt: new Date(tx.now.getTime() + outgoingUrlMs),
    };
  }
  return movedFrom === undefined ? null : await takeFromMessage(tx, movedFrom);
}

/** @param wanted kind of the message; null for a template, whose heading is what the file is */
async function takeUpload(
  tx: Tx,
  driver: string,
  wanted: FileKind | null,
  id: number,
): Promise<TakenFile> {
  const userId = actingUserId(tx.actor);
  const upload = userId === null ? null : await lockOwnedIfThere(tx, MediaUpload, { id, userId });
  if (upload === null || upload.storageKey === null) throw new AppError("upload_unavailable");
  const { filename, mime, size, sha256, storageKey } = upload;
  const kind = wanted ?? kindOfType(mime);
  const refusal = judgeMedia(driver, kind, { mime, size });
  if (refusal !== null) {
    const { code, message } = describeRefusal(driver, kind, refusal);
    throw new AppError(code, { message });
  }
  await tx.manager.delete(MediaUpload, { id });
  return { kind, state: "ready", filename, mime, size, sha256, storageKey };
}

/**
 * The failed message keeps its text. Two rows must not share a file, which each would delete. The
 * network's id of the file stays behind: Meta drops uploads after 30 days.
 */
async function takeFromMessage(tx: Tx, messageId: number): Promise<TakenFile> {
  const where = { messageId, position: 0, state: "ready", outgoing: true } as const;
  const row = await lockOwnedIfThere(tx, MessageMedia, where);
  if (row === null) throw new AppError("upload_unavailable");
  await tx.manager.delete(MessageMedia, { id: row.id });
  await tx.manager.update(Message, { id: messageId }, { attachmentCount: 0, updatedAt: tx.now });
  const { conversationId, contactId } = row;
  await recordChange(tx, { kind: "message.updated", messageId, conversationId, contactId });
  const { kind, state, filename, mime, size, sha256, storageKey, thumbnailKey } = row;
  return { kind, state, filename, mime, size, sha256, storageKey, thumbnailKey };
}

/** Makes a file the message's own, and requests its download where it has an address. */
export async function giveFile(tx: Tx, message: Message, file: TakenFile): Promise<void> {
  const outgoing = message.direction === "outbound";
  const { accountId, conversationId, contactId, channelAccountId } = message;
  const place = { accountId, conversationId, contactId, channelAccountId, messageId: message.id };
  await insertRow(tx, MessageMedia, {
    ...file,
    ...place,
    position: 0,
    outgoing,
    createdAt: tx.now,
    updatedAt: tx.now,
  });
  if (file.state === "pending") await requestMedia(tx, message.id);
}

/** The file of a message to the customer, or null. */
export async function findSentFile(tx: Tx, messageId: number): Promise<MessageMedia | null> {
  return await findOwned(tx, MessageMedia, { messageId, position: 0 });
}

/** Keeps the network's id of a file, so that no later try gives it the bytes again. */
export async function keepProviderMediaId(tx: Tx, mediaId: number, id: string): Promise<void> {
  const { accountId } = tx.actor;
  const columns = { providerMediaId: id, updatedAt: tx.now };
  await tx.manager.update(MessageMedia, { id: mediaId, accountId }, columns);
}
