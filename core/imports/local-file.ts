import { randomBytes } from "node:crypto";
import type { Readable } from "node:stream";
import { ImportFileError } from "./import-error.ts";

/** The storage of uploads, and the folder of local copies. */
interface UploadStore {
  storage: { get(key: string): Promise<Readable | null> };
  spool: {
    write(
      name: string,
      source: Readable,
      maxBytes: number,
    ): Promise<{ path: string; remove(): Promise<void> }>;
  };
}

/** An upload, as its import names it. */
interface Upload {
  id: number;
  size: number;
  /** Null once the upload was deleted. */
  storageKey: string | null;
}

/**
 * Hands on a local copy of the upload, which is removed afterwards.
 * @throws ImportFileError `file_missing`
 */
export async function withLocalFile<T>(
  media: UploadStore,
  { id, size, storageKey }: Upload,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const source = storageKey === null ? null : await media.storage.get(storageKey);
  if (source === null) throw new ImportFileError("file_missing");
  // Another try, or another process, may still read a copy of its own.
  const name = `import-${id}-${randomBytes(4).toString("hex")}`;
  const file = await media.spool.write(name, source, size);
  try {
    return await use(file.path);
  } finally {
    await file.remove();
  }
}
