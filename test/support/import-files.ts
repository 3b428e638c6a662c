import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../../dev/local.ts";

/** Path of a file of the tests of imports. */
export function importFile(name: string): string {
  return join(repositoryRoot, "test", "core", "imports", name);
}

/** The expected result that stands beside a file of the tests of imports. */
export async function expectedOf<Result>(name: string): Promise<Result> {
  return JSON.parse(await readFile(importFile(name), "utf8")) as Result;
}

/** Writes a file, hands its path over, and removes the file. */
export async function withFile<Result>(
  content: Buffer | string,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "parley-import-"));
  try {
    const path = join(folder, "upload");
    await writeFile(path, content);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** All items of a source. */
export async function listOf<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
