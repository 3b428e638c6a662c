import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { messageOf } from "../../core/errors.ts";
import { withProgress } from "../run-command.ts";
import type { Log } from "../local.ts";

const ANSWER_TIMEOUT_MS = 15_000;
const WHOLE_TIMEOUT_MS = 600_000;

/** A file to fetch, with its expected checksum. */
export interface Download {
  url: string;
  /** In hex. */
  sha256: string;
}

/**
 * Fetches a .tar.gz into `folder` and returns its path, once its SHA-256 matches.
 * @throws Error when the host does not answer within 15 s, is too slow, or sends other bytes
 */
export async function downloadArchive(
  { url, sha256 }: Download,
  folder: string,
  log: Log,
): Promise<string> {
  const host = new URL(url).host;
  const path = join(folder, "download.tar.gz");
  return await withProgress(log, `downloading from ${host}`, async () => {
    try {
      await save(url, path);
      await checkSum(path, sha256);
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

async function checkSum(path: string, expected: string): Promise<void> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  const found = hash.digest("hex");
  if (found !== expected) throw new Error(`its SHA-256 is ${found}, not ${expected}: refused`);
}

/** fetch hides the reason (no such host, refused) in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${messageOf(error)} (${cause.message})` : messageOf(error);
}
