import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";
import { importErrorCodes } from "../model/import.ts";
import { parseJson } from "../model/parse-json.ts";
import { ImportFileError } from "./import-error.ts";
import { readerHeapMib, readerTimeMs } from "./limits.ts";
import type { ReaderItems, ReaderRequest } from "./reader-tasks.ts";
import { decodeText, splitLines } from "./text.ts";

/** Limits of the process. Tests set smaller ones. */
export interface ReaderLimits {
  heapMib: number;
  /** Counts from the start of the process, while the caller waits for an item. */
  timeMs: number;
}

const usualLimits: ReaderLimits = { heapMib: readerHeapMib, timeMs: readerTimeMs };
/**
 * The longest item is a detected table: a sample of two rows of 64 KiB characters, and the titles of
 * the first one. Each character takes six in JSON at most.
 */
const maxLineLength = 2 * 1024 * 1024;
/** Time for Node to load the libraries on a busy machine. */
const startTimeMs = 60_000;
const keptErrorLength = 2_000;

const answer = z.union([
  z.strictObject({ started: z.literal(true) }),
  z.strictObject({ item: z.unknown() }),
  z.strictObject({ end: z.literal(true) }),
  z.strictObject({
    error: z.strictObject({ code: z.enum(importErrorCodes), line: z.int().nullable() }),
  }),
]);

/**
 * Runs a request in a process of its own, with its own heap and with TZ=UTC. The time counts only
 * while the caller waits for an item.
 * @throws ImportFileError; `file_unreadable` where the process ended without an answer
 * @throws the reason of the signal
 */
export async function* runReader<Task extends ReaderRequest["task"]>(
  request: Extract<ReaderRequest, { task: Task }>,
  signal?: AbortSignal,
  limits: ReaderLimits = usualLimits,
): AsyncGenerator<ReaderItems[Task]> {
  signal?.throwIfAborted();
  const child = startReader(limits.heapMib);
  const kill = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", kill, { once: true });
  const start = watchStart(child);
  child.stdin.write(`${JSON.stringify(request)}\n`);
  try {
    for await (const one of readAnswers(child, limits.timeMs)) {
      if ("started" in one) {
        start.hasHappened = true;
        continue;
      }
      if ("end" in one) return;
      if ("error" in one) throw new ImportFileError(one.error.code, one.error.line);
      yield one.item as ReaderItems[Task];
    }
    signal?.throwIfAborted();
    throw start.hasHappened ? new ImportFileError("file_unreadable") : start.failure();
  } finally {
    signal?.removeEventListener("abort", kill);
    kill();
  }
}

/** A package of development: only a process that runs from source has it. */
const sourceLoader = "tsx/esm";

/**
 * The same file as TypeScript, or as the build made it. The process gets no setting of ours, since
 * it needs no secret.
 */
function startReader(heapMib: number): ChildProcessWithoutNullStreams {
  const isSource = import.meta.url.endsWith(".ts");
  const file = isSource ? "./reader-main.ts" : "./import-reader.js";
  const loader = isSource
    ? ["--import", pathToFileURL(createRequire(import.meta.url).resolve(sourceLoader)).href]
    : [];
  const main = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMib}`, ...loader, main], {
    env: { TZ: "UTC" },
    stdio: "pipe",
  });
  yieldToOthers(child);
  return child;
}

/** Niceness of the process: calls and deliveries go first where they share a CPU. */
const niceness = 10;

function yieldToOthers({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, niceness);
  } catch {
    // The process has ended, or the system forbids it. It reads all the same.
  }
}

/** Start of the process. */
interface ReaderStart {
  hasHappened: boolean;
  /** The error of a process that could not start, which is no fault of the file. */
  failure(): Error;
}

function watchStart(child: ChildProcessWithoutNullStreams): ReaderStart {
  let spawnError: Error | null = null;
  let errors = "";
  const start: ReaderStart = {
    hasHappened: false,
    failure: () => spawnError ?? new Error(`The reader of files did not start. ${errors}`),
  };
  child.once("error", (error) => (spawnError = error));
  // A process that has ended takes no request. Its end is told by its missing answers.
  child.stdin.on("error", () => undefined);
  child.stderr.on("data", (chunk: Buffer) => {
    // Later errors may quote the file.
    if (!start.hasHappened) errors = (errors + chunk.toString()).slice(-keptErrorLength);
  });
  return start;
}

/** Answers of the process. It is killed when the caller has waited for too long in total. */
async function* readAnswers(child: ChildProcessWithoutNullStreams, timeMs: number) {
  const lines = splitLines(decodeText(child.stdout, "utf-8"), maxLineLength);
  const nextWithin = async (limitMs: number) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), Math.max(0, limitMs));
    return await lines.next().finally(() => clearTimeout(timer));
  };
  let next = await nextWithin(startTimeMs);
  let leftMs = timeMs;
  while (next.done !== true) {
    const message = parseJson(next.value.text) ?? null;
    // A process that is killed leaves half a line.
    if (message === null) return;
    yield answer.parse(message);
    const since = performance.now();
    next = await nextWithin(leftMs);
    leftMs -= performance.now() - since;
  }
}
