import { LessThan } from "typeorm";
import { WidgetUpload } from "../../../db/entities/widget.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { hourMs } from "../../model/durations.ts";
import { kindOfType } from "../../model/media.ts";
import type { TakenFile } from "../conversations/outgoing-files.ts";
import { insertRow, lockOwnedIfThere } from "../sql.ts";
import type { Visit } from "./visit.ts";

/** An upload that no message has taken is gone after this time. */
export const visitUploadKeptMs = hourMs;

/** Facts of a file that a visitor uploads. */
type UploadFacts = Pick<WidgetUpload, "filename" | "mime" | "size" | "sha256">;

/** Announces an upload before its bytes are stored, so that a crash leaves no file without a row. */
export async function announceVisitUpload(
  tx: Tx,
  { accountId, sessionId }: Visit,
  facts: UploadFacts,
): Promise<number> {
  const row = { ...facts, accountId, sessionId, createdAt: tx.now };
  return await insertRow(tx, WidgetUpload, row);
}

/** Records that the storage has the bytes. From now on a message can take the file. */
export async function completeVisitUpload(tx: Tx, id: number, storageKey: string): Promise<void> {
  await tx.manager.update(WidgetUpload, { id, accountId: tx.actor.accountId }, { storageKey });
}

/**
 * Takes the upload of a session, so that no other message can have it.
 * @throws AppError `media_not_found` for an upload of another session, or one that is gone
 */
export async function takeVisitUpload(tx: Tx, sessionId: number, id: number): Promise<TakenFile> {
  const upload = await lockOwnedIfThere(tx, WidgetUpload, { id, sessionId });
  const isOld =
    upload !== null && upload.createdAt.getTime() < tx.now.getTime() - visitUploadKeptMs;
  if (upload === null || isOld || upload.storageKey === null) {
    const message = "There is no upload with this id. Upload the file again.";
    throw new AppError("media_not_found", { message });
  }
  const { filename, mime, size, sha256, storageKey } = upload;
  await tx.manager.delete(WidgetUpload, { id });
  return { kind: kindOfType(mime), state: "ready", filename, mime, size, sha256, storageKey };
}

/** Uploads of all accounts that no message has taken. */
export async function listOldVisitUploads(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<{ id: number; accountId: number }[]> {
  return await tx.manager.find(WidgetUpload, {
    select: { id: true, accountId: true },
    where: { createdAt: LessThan(before) },
    order: { createdAt: "ASC", id: "ASC" },
    take: limit,
  });
}

/** Takes an upload from its visitor before its bytes go. @returns false if a message has it */
export async function withdrawVisitUpload(tx: Tx, id: number): Promise<boolean> {
  await tx.manager.update(WidgetUpload, { id }, { storageKey: null });
  return await tx.manager.existsBy(WidgetUpload, { id });
}

/** Deletes the row of an upload whose bytes are gone. */
export async function deleteVisitUpload(tx: Tx, id: number): Promise<void> {
  await tx.manager.delete(WidgetUpload, { id });
}
