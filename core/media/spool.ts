import { createHash, randomBytes } from "node:crypto";
import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "./file-errors.ts";

/** A complete file that nobody else knows. Its maker removes it. */
export interface SpooledFile {
  path: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of the bytes. */
  sha256: Buffer;
  remove(): Promise<void>;
}

/** More bytes than the limit. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError";
}

/** A folder for files that are being written. */
export interface Spool {
  /**
   * Writes a source to a file that only this user may read, and syncs it. Removes what a killed
   * process has left under the name. Removes the file if the source fails.
   * @param name letters, digits, dots and dashes
   * @throws FileTooLargeError after `maxBytes`; the error of the source
   */
  write(name: string, source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<SpooledFile>;
  /** Removes what killed processes have left under a name. */
  clear(name: string): Promise<void>;
  /** Removes files that nobody has written to for so long. @returns their number */
  sweep(olderThanMs: number): Promise<number>;
}

const separator = "~";

/** Creates a spool in a folder, which the first file creates. */
export function createSpool(folder: string): Spool {
  async function list(): Promise<string[]> {
    return await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
  }

  async function clear(name: string): Promise<void> {
    const left = (await list()).filter((file) => file.startsWith(name + separator));
    await Promise.all(left.map((file) => rm(join(folder, file), { force: true })));
  }

  return {
    clear,
    async write(name, source, maxBytes) {
      await clear(name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${name}${separator}${randomBytes(8).toString("hex")}`);
      const remove = async (): Promise<void> => await rm(path, { force: true });
      const file = await open(path, "wx", 0o600);
      try {
        return { path, ...(await fill(file, source, maxBytes)), remove };
      } catch (error) {
        await remove();
        throw error;
      } finally {
        await file.close();
      }
    },
    async sweep(olderThanMs) {
      const before = Date.now() - olderThanMs;
      let removed = 0;
      for (const name of await list()) {
        const path = join(folder, name);
        const found = await stat(path).catch(() => null);
        if (found === null || found.mtimeMs >= before) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

async function fill(
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ size: number; sha256: Buffer }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new FileTooLargeError(`The file has more than ${maxBytes} bytes.`);
    hash.update(chunk);
    await writeAll(file, chunk);
  }
  await file.sync();
  return { size, sha256: hash.digest() };
}

/** One write may take a part of the bytes alone. */
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, from);
    from += bytesWritten;
  }
}
