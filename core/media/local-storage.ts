import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMissing } from "./file-errors.ts";
import { createSpool } from "./spool.ts";
import { requireKey, type MediaStorage } from "./storage.ts";

/** Folder below the storage for files that are being written. No key begins with a dot. */
export const spoolFolder = ".spool";

/**
 * Stores files below a folder, which the first file creates. A file is written under another name,
 * synced and renamed, and its folder is synced. So a crash leaves all of a file or none.
 */
export function createLocalStorage(folder: string): MediaStorage {
  const spool = createSpool(join(folder, spoolFolder));
  const pathOf = (key: string): string => join(folder, requireKey(key));
  const spoolNameOf = (key: string): string => `put-${key.replaceAll("/", ".")}`;
  return {
    async put(key, source, size) {
      const path = pathOf(key);
      const file = await spool.write(spoolNameOf(key), source, size);
      try {
        if (file.size !== size) throw new Error("The file ended early.");
        const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(file.path, path);
        await syncFolder(dirname(path));
        if (made !== undefined) await syncFolder(dirname(made));
      } catch (error) {
        await file.remove();
        throw error;
      }
    },
    async get(key, range) {
      const path = pathOf(key);
      const file = await open(path, "r").catch(orNull);
      if (file === null) return null;
      return createReadStream(path, { fd: file, ...range });
    },
    async stat(key) {
      const found = await stat(pathOf(key)).catch(orNull);
      return found === null ? null : { size: found.size };
    },
    async delete(key) {
      await spool.clear(spoolNameOf(key));
      await rm(pathOf(key), { force: true });
    },
  };
}

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Without this a crash of the machine could lose the new name of a file. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
