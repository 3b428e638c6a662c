import type { Readable } from "node:stream";
import { ImportFileError } from "../../core/imports/import-error.ts";
import { openChatFiles, type ChatFiles } from "../../core/imports/read-chat.ts";
import { FileTooLargeError, type SpooledFile } from "../../core/media/spool.ts";
import { maxMediaBytes } from "../../core/model/media.ts";
import {
  listWaitingFiles,
  settleChatFile,
  type ChatFileOutcome,
  type WaitingFile,
} from "../../core/services/imports/chat-files.ts";
import type { ImportJob } from "../../core/services/imports/import-kind.ts";
import { systemOf, transaction } from "../../db/transaction.ts";
import type { MediaWork } from "../media/port.ts";
import { deleteFile, scanFile, spoolNameOf, storeFile } from "../media/store-file.ts";
import { RetryLaterError } from "../retry-later.ts";
import type { FinishDeps } from "./import-work.ts";

const filesAtOnce = 100;
/** Each try reads the whole archive again. */
const scannerWaitMs = 60_000;
/** So many files in a row without a verdict are no fault of the files. */
const awayAfter = 5;

/**
 * Puts the files of a committed chat into the storage. A second run goes on with those that are
 * left. A file without a verdict of the scanner waits, and does not hold back the others.
 * @param path a local copy of the upload
 * @throws RetryLaterError where files wait for the scanner: once all others are done, or at once where
 * it gives no verdict on several in a row
 */
export async function storeChatFiles(
  { dataSource, log, media }: FinishDeps,
  path: string,
  { id, accountId }: Pick<ImportJob, "id" | "accountId">,
  signal: AbortSignal,
): Promise<void> {
  const files = await openChatFiles(path);
  let unscanned = 0;
  let unscannedInRow = 0;
  try {
    let after = 0;
    for (;;) {
      const place = { after, limit: filesAtOnce };
      const waiting = await transaction(dataSource, systemOf(accountId), (tx) =>
        listWaitingFiles(tx, id, place),
      );
      for (const file of waiting) {
        signal.throwIfAborted();
        const isSettled = await settle(file);
        if (!isSettled) unscanned += 1;
        unscannedInRow = isSettled ? 0 : unscannedInRow + 1;
        if (unscannedInRow === awayAfter) break;
      }
      after = waiting.at(-1)?.number ?? after;
      if (waiting.length < filesAtOnce || unscannedInRow === awayAfter) break;
    }
  } finally {
    files.close();
  }
  if (unscanned === 0) return;
  log.warn({ import_id: id, files: unscanned }, "import.scanner_away");
  throw new RetryLaterError("The scanner of files is away.", scannerWaitMs);

  /** @returns false for a file that waits for the scanner */
  async function settle(file: WaitingFile): Promise<boolean> {
    const ids = { accountId, mediaId: file.mediaId };
    const outcome = await storeFrom(media, files, ids, file.filename);
    if (outcome === null) return false;
    const isKept = await transaction(dataSource, systemOf(accountId), (tx) =>
      settleChatFile(tx, id, file, outcome),
    );
    if (!isKept) await deleteFile(media, ids, []);
    return true;
  }
}

type FileIds = Parameters<typeof storeFile>[1];

/** @returns null without a verdict of the scanner */
async function storeFrom(
  media: MediaWork,
  files: ChatFiles,
  ids: FileIds,
  filename: string | null,
): Promise<ChatFileOutcome | null> {
  const source = filename === null ? null : await files.open(filename).catch(orDamaged);
  if (source === null) return { kind: "missing" };
  const spooled = await spool(media, ids, source);
  if ("kind" in spooled) return spooled;
  try {
    return await storeScanned(media, ids, spooled);
  } finally {
    await spooled.remove();
  }
}

async function spool(
  media: MediaWork,
  ids: FileIds,
  source: Readable,
): Promise<SpooledFile | ChatFileOutcome> {
  try {
    return await media.spool.write(spoolNameOf(ids), source, maxMediaBytes);
  } catch (error) {
    if (error instanceof FileTooLargeError) return { kind: "refused", reason: "too_large" };
    if (error instanceof ImportFileError) return { kind: "missing" };
    throw error;
  }
}

/** A file that the archive holds in part is as good as missing. */
function orDamaged(error: unknown): null {
  if (error instanceof ImportFileError) return null;
  throw error;
}

async function storeScanned(
  media: MediaWork,
  ids: FileIds,
  file: SpooledFile,
): Promise<ChatFileOutcome | null> {
  const verdict = await scanFile(media, file.path);
  // Another run asks again. A file that nobody has scanned is not shown.
  if (verdict === "away") return null;
  if (verdict !== "clean") return { kind: "refused", reason: verdict };
  return { kind: "stored", stored: await storeFile(media, ids, file) };
}
