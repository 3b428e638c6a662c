import { ChannelAccount } from "../../../db/entities/channel-account.ts";
import { Message } from "../../../db/entities/message.ts";
import type { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isSendingHeld, type ChannelDriver } from "../../model/channels.ts";
import type { SendMessageInput, SendOutcome } from "../../model/workflow/sending.ts";
import { findSentFile, keepProviderMediaId } from "./outgoing-files.ts";
import { completeSend, lockMessage, type SendResult } from "./message-sending.ts";

/** Data that a network needs to get the file of a message. */
export interface UploadMaterial {
  message: Message;
  file: MessageMedia;
  driver: ChannelDriver;
  from: string;
  parentId: string | null;
}

/** Outcome of giving a file to a network. */
export type UploadResult =
  | { kind: "uploaded"; id: string }
  | Exclude<SendResult, { kind: "accepted" | "unknown" }>;

/** The message goes on with its next step. */
const goOn: SendOutcome = { state: "waiting", waitMs: 0, why: "file" };

/**
 * Begins to give the file of a message to its network. It counts as a try, which is given back once
 * the network has the file, or the limit of the number has refused the file. The message is not in flight meanwhile: no customer sees an upload.
 * @returns an outcome where nothing is to be uploaded
 */
export async function beginUpload(
  tx: Tx,
  input: SendMessageInput,
): Promise<{ material: UploadMaterial } | { outcome: SendOutcome }> {
  const message = await lockMessage(tx, input.messageId);
  if (message === null) return { outcome: { state: "over" } };
  const { status, inFlightSince } = message;
  const isOver = (status !== "queued" && status !== "sending") || inFlightSince !== null;
  const file = await findSentFile(tx, message.id);
  const id = message.channelAccountId;
  const channel = await tx.manager.findOneByOrFail(ChannelAccount, { id });
  // The hand-over says what comes of such a message.
  if (isOver || isSendingHeld(channel) || file?.state !== "ready") return { outcome: goOn };
  if (file.providerMediaId !== null) return { outcome: goOn };
  const tries = message.tries + 1;
  // Younger messages wait for one whose next try is due.
  const columns = { status: "sending", tries, nextTryAt: tx.now, updatedAt: tx.now } as const;
  await tx.manager.update(Message, message.id, columns);
  const { driver, externalId: from, parentId } = channel;
  return { material: { message, file, driver, from, parentId } };
}

/** Stores the network's id of the file, or the reason why there is none. */
export async function completeUpload(
  tx: Tx,
  input: SendMessageInput,
  { message, file }: Pick<UploadMaterial, "message" | "file">,
  result: UploadResult,
): Promise<SendOutcome> {
  if (result.kind !== "uploaded") return await completeSend(tx, input, result, message.tries);
  await keepProviderMediaId(tx, file.id, result.id);
  const now = await lockMessage(tx, input.messageId);
  if (now === null) return { state: "over" };
  await tx.manager.update(Message, now.id, { tries: message.tries, updatedAt: tx.now });
  return goOn;
}
