import type { Readable } from "node:stream";

/** Bytes of a file from `start` to `end`, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Stores files of messages under keys that `mediaKey` makes. API and worker share one storage.
 * Every function throws for a storage that cannot be reached.
 */
export interface MediaStorage {
  /**
   * Stores a file, and replaces an earlier one. A reader sees all of the file or none.
   * @param size bytes of the source
   */
  put(key: string, source: Readable, size: number): Promise<void>;
  /** Opens a file or a part of it. Null without the file. The caller reads or destroys the stream. */
  get(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Null without the file. */
  stat(key: string): Promise<{ size: number } | null>;
  /** Deletes a file. A missing file is no error. */
  delete(key: string): Promise<void>;
}

/** Versions of a file: as it came, and its small picture. */
export const mediaVariants = ["original", "thumbnail"] as const;
export type MediaVariant = (typeof mediaVariants)[number];

/**
 * Key of a file. It follows from the ids alone, so that an erasure finds a file whose row a crash
 * has left without its key.
 * @param owner kind and id of the row, such as `message-7`
 */
export function mediaKey(
  accountId: number,
  owner: `${"export" | "import" | "message" | "upload" | "visit"}-${number}`,
  variant: MediaVariant,
): string {
  return `${accountId}/${owner}-${variant}`;
}

/**
 * Keys hold neither a dot nor an empty part, so no key leaves its folder.
 * @throws Error for any other text
 */
export function requireKey(key: string): string {
  if (/^[a-z0-9-]{1,64}(?:\/[a-z0-9-]{1,64}){0,3}$/u.test(key)) return key;
  throw new Error("This is not a key of the media storage.");
}
