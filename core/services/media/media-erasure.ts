import { In } from "typeorm";
import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";

/** A file whose bytes are to be deleted. */
export interface FileToDelete {
  id: number;
  accountId: number;
  /** Keys that its row names. */
  keys: string[];
}

type KeysOfFile = Pick<MessageMedia, "id" | "accountId" | "storageKey" | "thumbnailKey">;

/** A batch of the files of contacts that are erased. Their rows stay until the bytes are gone. */
export async function listFilesOfContacts(
  tx: Tx,
  contactIds: readonly number[],
  limit: number,
): Promise<FileToDelete[]> {
  const rows = await tx.manager.find(MessageMedia, {
    where: { accountId: tx.actor.accountId, contactId: In([...contactIds]) },
    take: limit,
  });
  return rows.map(describe);
}

/** Deletes the rows of files whose bytes are gone. */
export async function deleteFileRows(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await tx.manager.delete(MessageMedia, { id: In([...ids]) });
}

/**
 * A batch of stored files of all accounts that came before a moment, oldest first. Ids are in the
 * order of time, so the first file that is too young ends the search.
 */
export async function listOldFiles(tx: Tx, before: Date, limit: number): Promise<FileToDelete[]> {
  const rows = await tx.manager.find(MessageMedia, {
    where: { state: "ready" },
    order: { id: "ASC" },
    take: limit,
  });
  const young = rows.findIndex(({ createdAt }) => createdAt >= before);
  return (young === -1 ? rows : rows.slice(0, young)).map(describe);
}

/**
 * A batch of files of all accounts that their messages took back before a moment, and whose bytes
 * are still stored. The run that was to delete them is lost, or never began.
 */
export async function listTakenBackFiles(
  tx: Tx,
  before: Date,
  limit: number,
): Promise<FileToDelete[]> {
  const rows = await tx.manager.query<KeysOfFile[]>(
    `SELECT id, account_id AS accountId, storage_key AS storageKey, thumbnail_key AS thumbnailKey
       FROM message_media FORCE INDEX (message_media_stored)
      WHERE state = 'erased' AND storage_key IS NOT NULL AND updated_at < ? LIMIT ?`,
    [before, limit],
  );
  return rows.map(describe);
}

/** Marks files as erased whose bytes were deleted for their age. */
export async function markFilesErased(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const nothing = { storageKey: null, thumbnailKey: null, sha256: null, sourceUrl: null };
  await tx.manager.update(
    MessageMedia,
    { id: In([...ids]) },
    { ...nothing, state: "erased", reason: "too_old", updatedAt: tx.now },
  );
}

function describe({ id, accountId, storageKey, thumbnailKey }: KeysOfFile): FileToDelete {
  return { id, accountId, keys: [storageKey, thumbnailKey].filter((key) => key !== null) };
}
