import { createReadStream } from "node:fs";
import type { ScanVerdict } from "../../core/media/scanner.ts";
import { readMediaType } from "../../core/media/media-type.ts";
import type { SpooledFile } from "../../core/media/spool.ts";
import { mediaKey } from "../../core/media/storage.ts";
import type { StoredMedia } from "../../core/services/media/media-downloads.ts";
import type { MediaWork } from "./port.ts";

/** Ids of a file of a message. */
interface FileIds {
  accountId: number;
  mediaId: number;
}

/** Keys of a file and of its thumbnail, stored or not. */
export function keysOf({ accountId, mediaId }: FileIds): { file: string; thumbnail: string } {
  const owner = `message-${mediaId}` as const;
  return {
    file: mediaKey(accountId, owner, "original"),
    thumbnail: mediaKey(accountId, owner, "thumbnail"),
  };
}

/** Scans a file before it is stored. */
export async function scanFile({ scan }: MediaWork, path: string): Promise<ScanVerdict> {
  return scan === null ? "clean" : await scan(createReadStream(path));
}

/** Puts a file and its thumbnail into the storage. */
export async function storeFile(
  media: MediaWork,
  ids: FileIds,
  file: SpooledFile,
): Promise<StoredMedia> {
  const keys = keysOf(ids);
  const mime = await readMediaType(file.path);
  const thumbnailKey = mime.startsWith("image/")
    ? await storeThumbnail(media, file.path, keys.thumbnail)
    : null;
  await media.storage.put(keys.file, createReadStream(file.path), file.size);
  return { mime, size: file.size, sha256: file.sha256, storageKey: keys.file, thumbnailKey };
}

async function storeThumbnail(
  { storage, thumbnails }: MediaWork,
  path: string,
  key: string,
): Promise<string | null> {
  const small = await thumbnails.make(path, `thumbnail-${key.replaceAll("/", ".")}`);
  if (small === null) return null;
  try {
    await storage.put(key, createReadStream(small.path), small.size);
    return key;
  } finally {
    await small.remove();
  }
}

/** Deletes the bytes of a file, also those that a crash left without a row. */
export async function deleteFile(
  { storage, spool }: MediaWork,
  ids: FileIds,
  keys: readonly string[],
): Promise<void> {
  const { file, thumbnail } = keysOf(ids);
  for (const key of new Set([file, thumbnail, ...keys])) await storage.delete(key);
  await spool.clear(spoolNameOf(ids));
}

/** Name of a file on its way into the storage. */
export function spoolNameOf({ accountId, mediaId }: FileIds): string {
  return `media-${accountId}-${mediaId}`;
}
