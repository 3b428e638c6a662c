import { MessageMedia } from "../../../db/entities/message-media.ts";
import type { Tx } from "../../../db/transaction.ts";
import { findOwned } from "../sql.ts";

/** A stored file, as far as it may be served. */
export interface StoredFile {
  /** Its key in the storage. */
  key: string;
  /** Type by its content. */
  mime: string;
  /** Hexadecimal; of the original, also for a thumbnail. */
  sha256: string;
  filename: string | null;
}

const thumbnailType = "image/webp";

/**
 * The stored file of a message, or its thumbnail; null unless it is ready. A picture of which no
 * thumbnail could be made is its own thumbnail.
 */
export async function findStoredFile(
  tx: Tx,
  mediaId: number,
  variant: "original" | "thumbnail",
): Promise<StoredFile | null> {
  const row = await findOwned(tx, MessageMedia, { id: mediaId, state: "ready" });
  if (row === null || row.storageKey === null || row.mime === null || row.sha256 === null) {
    return null;
  }
  const { filename, thumbnailKey } = row;
  const file = { filename, sha256: row.sha256.toString("hex") };
  return variant === "original" || thumbnailKey === null
    ? { ...file, key: row.storageKey, mime: row.mime }
    : { ...file, key: thumbnailKey, mime: thumbnailType };
}
