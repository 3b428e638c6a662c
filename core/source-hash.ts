import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Hash of sources. An unchanged hash means that files built from the sources are up to date.
 * @param root folder above `paths`; its own location does not change the hash.
 * @param paths files, and folders with all files below them.
 * @returns SHA-256 of their names and contents, in hex.
 */
export function hashSources(root: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((one) => listFiles(join(root, one)))) {
    hash.update(`${path.slice(root.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/**
 * The files of a folder and of the folders below it, in a fixed order. For a file: the file itself.
 */
export function listFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}
