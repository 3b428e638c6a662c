import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { messageOf, runCommand, withProgress } from "./run-command.ts";
import type { Log } from "./local.ts";

const ANSWER_TIMEOUT_MS = 15_000;
const WHOLE_TIMEOUT_MS = 600_000;

/**
 * Fetches a .tar.gz into `folder` and gives its path, once tar can list it.
 * @throws when the host cannot be reached within 15 s or sends anything else
 */
export async function downloadArchive(url: string, folder: string, log: Log): Promise<string> {
  const host = new URL(url).host;
  const path = join(folder, "download.tar.gz");
  return await withProgress(log, `downloading from ${host}`, async () => {
    try {
      await save(url, path);
      await checkGzip(path);
      await runCommand("tar", ["-tzf", path]);
      return path;
    } catch (error) {
      throw new Error(`nothing usable from ${host}: ${reasonOf(error)}`, { cause: error });
    }
  });
}

async function save(url: string, path: string): Promise<void> {
  const abort = new AbortController();
  const slowAnswer = setTimeout(() => abort.abort(new Error("no answer")), ANSWER_TIMEOUT_MS);
  const slowBody = setTimeout(() => abort.abort(new Error("too slow")), WHOLE_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: abort.signal });
    clearTimeout(slowAnswer);
    if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(path));
  } finally {
    clearTimeout(slowAnswer);
    clearTimeout(slowBody);
  }
}

async function checkGzip(path: string): Promise<void> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    if (buffer.toString("hex") !== "1f8b") throw new Error("the answer is no archive");
  } finally {
    await file.close();
  }
}

/** fetch hides the reason (no such host, refused) in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${messageOf(error)} (${cause.message})` : messageOf(error);
}
