import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Tells whether what is made of sources is still what they would make.
 * @param root folder that `paths` are below; where it is does not count.
 * @param paths files, and folders with all below them.
 * @returns SHA-256 of their names and contents, in hex.
 */
export function hashSources(root: string, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.flatMap((one) => listFiles(join(root, one)))) {
    hash.update(`${path.slice(root.length)}\n`).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** The files of a folder, below it too, in a fixed order; a file is itself. */
export function listFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
}
