import { readFileSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { listFiles } from "../../core/source-hash.ts";

/** Files that compression makes smaller. Fonts are already compressed. */
const packable = new Set([".css", ".js", ".svg"]);

/** Writes a `.gz` beside each file of a build that compression makes smaller. */
export function packFiles(folder: string): void {
  for (const path of listFiles(folder)) {
    if (!packable.has(extname(path))) continue;
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  }
}
