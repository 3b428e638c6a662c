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

function describe({ id, accountId, storageKey, thumbnailKey }: MessageMedia): FileToDelete {
  return { id, accountId, keys: [storageKey, thumbnailKey].filter((key) => key !== null) };
}
