import { randomBytes } from "node:crypto";
import { ImportFileError } from "../../core/imports/import-error.ts";
import type { Import } from "../../db/entities/import.ts";
import type { ActivityDeps } from "../deps.ts";

/**
 * Hands on a local copy of the upload, which is removed afterwards.
 * @throws ImportFileError `file_missing`
 */
export async function withLocalFile<T>(
  { media }: Pick<ActivityDeps, "media">,
  { id, size, storageKey }: Import,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const source = storageKey === null ? null : ((await media?.storage.get(storageKey)) ?? null);
  if (media === undefined || source === null) throw new ImportFileError("file_missing");
  // Another try may still read a copy of its own.
  const name = `import-${id}-${randomBytes(4).toString("hex")}`;
  const file = await media.spool.write(name, source, size);
  try {
    return await use(file.path);
  } finally {
    await file.remove();
  }
}
