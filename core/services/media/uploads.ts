import { LessThan } from "typeorm";
import { MediaUpload } from "../../../db/entities/media-upload.ts";
import type { Tx } from "../../../db/transaction.ts";
import { insertRow } from "../sql.ts";

/** Facts of a file that a person uploads. */
export type UploadFacts = Pick<MediaUpload, "filename" | "mime" | "size" | "sha256">;

/** Announces an upload before its bytes are stored, so that a crash leaves no file without a row. */
export async function announceUpload(tx: Tx, userId: number, facts: UploadFacts): Promise<number> {
  const { accountId } = tx.actor;
  const row = { ...facts, accountId, userId, createdAt: tx.now };
  return await insertRow(tx, MediaUpload, row);
}

/** Records that the storage has the bytes. From now on the file can be sent. */
export async function completeUpload(tx: Tx, id: number, storageKey: string): Promise<void> {
  await tx.manager.update(MediaUpload, { id, accountId: tx.actor.accountId }, { storageKey });
}

/** Uploads of all accounts that nobody has sent since. */
export async function listOldUploads(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<{ id: number; accountId: number }[]> {
  return await tx.manager.find(MediaUpload, {
    select: { id: true, accountId: true },
    where: { createdAt: LessThan(before) },
    order: { createdAt: "ASC", id: "ASC" },
    take: limit,
  });
}

/** Takes an upload from its person before its bytes go. @returns false if it was sent meanwhile */
export async function withdrawUpload(tx: Tx, id: number): Promise<boolean> {
  await tx.manager.update(MediaUpload, { id }, { storageKey: null });
  return await tx.manager.existsBy(MediaUpload, { id });
}

/** Deletes the row of an upload whose bytes are gone. */
export async function deleteUploadRow(tx: Tx, id: number): Promise<void> {
  await tx.manager.delete(MediaUpload, { id });
}
