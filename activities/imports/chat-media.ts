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
import type { FinishDeps } from "./import-work.ts";

const filesAtOnce = 100;

/**
 * Puts the files of a committed chat into the storage. A second run goes on with those that are
 * left.
 * @param path a local copy of the upload
 * @throws Error while the scanner of files is away
 */
export async function storeChatFiles(
  { dataSource, media }: FinishDeps,
  path: string,
  { id, accountId }: Pick<ImportJob, "id" | "accountId">,
  signal: AbortSignal,
): Promise<void> {
  const files = await openChatFiles(path);
  try {
    let after = 0;
    for (;;) {
      const place = { after, limit: filesAtOnce };
      const waiting = await transaction(dataSource, systemOf(accountId), (tx) =>
        listWaitingFiles(tx, id, place),
      );
      for (const file of waiting) {
        signal.throwIfAborted();
        await settle(file);
      }
      after = waiting.at(-1)?.number ?? after;
      if (waiting.length < filesAtOnce) return;
    }
  } finally {
    files.close();
  }

  async function settle(file: WaitingFile): Promise<void> {
    const ids = { accountId, mediaId: file.mediaId };
    const outcome = await storeFrom(media, files, ids, file.filename);
    const isKept = await transaction(dataSource, systemOf(accountId), (tx) =>
      settleChatFile(tx, id, file, outcome),
    );
    if (!isKept) await deleteFile(media, ids, []);
  }
}

type FileIds = Parameters<typeof storeFile>[1];

async function storeFrom(
  media: MediaWork,
  files: ChatFiles,
  ids: FileIds,
  filename: string | null,
): Promise<ChatFileOutcome> {
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
): Promise<ChatFileOutcome> {
  const verdict = await scanFile(media, file.path);
  if (verdict === "infected") return { kind: "refused", reason: "infected" };
  // Another run asks again. A file that nobody has scanned is not shown.
  if (verdict === "away") throw new Error("The scanner of files is away.");
  return { kind: "stored", stored: await storeFile(media, ids, file) };
}
