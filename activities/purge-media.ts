import { Context } from "@temporalio/activity";
import { mediaKey } from "../core/media/storage.ts";
import { dayMs, hourMs } from "../core/model/durations.ts";
import { forgetMediaKeys } from "../core/services/media/media-downloads.ts";
import {
  listOldFiles,
  listTakenBackFiles,
  markFilesErased,
} from "../core/services/media/media-erasure.ts";
import {
  deleteOldExports,
  forgetExportFiles,
  listExpiredExports,
} from "../core/services/exports/exports.ts";
import { forgetFile, listOldFilesOfImports } from "../core/services/imports/import-files.ts";
import { deleteUploadRow, listOldUploads, withdrawUpload } from "../core/services/media/uploads.ts";
import {
  deleteVisitUpload,
  listOldVisitUploads,
  visitUploadKeptMs,
  withdrawVisitUpload,
} from "../core/services/widgets/visit-uploads.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import type { MediaWork } from "./media/port.ts";
import { deleteFile } from "./media/store-file.ts";

const filesAtOnce = 100;
/** An upload that nobody has sent is gone a day later. */
const uploadKeptMs = dayMs;
/** A run deletes a file that its message took back within minutes, so that run is lost. */
const takenBackMs = hourMs;
/** No file takes so long to arrive, so its process was killed. */
const spoolKeptMs = hourMs;

/** Counts of what a purge of files has deleted. */
export interface MediaPurge {
  files: number;
  uploads: number;
  spooled: number;
  /** False where more is left for the next step. */
  done: boolean;
}

/** The step of a purge of files. It may run twice, and finds less to do. */
export function createPurgeMedia(deps: ActivityDeps) {
  const { media, log } = deps;
  return {
    /**
     * Deletes a batch of files that are too old or were taken back, of uploads that nobody sent, and
     * of leftovers.
     */
    async purgeMedia(): Promise<MediaPurge> {
      const old = await purgeFiles(deps, media);
      const takenBack = await purgeTakenBack(deps, media);
      const ours = await purgeUploads(deps, media);
      const visitors = await purgeVisitUploads(deps, media);
      const exported = await purgeExports(deps, media);
      const imports = await purgeImportFiles(deps, media);
      const files = old + takenBack;
      const uploads = ours + visitors + imports;
      const spooled = await media.spool.sweep(spoolKeptMs);
      if (files + uploads + exported + spooled > 0) {
        log.info({ files, uploads, exported, spooled }, "media.purged");
      }
      return {
        files,
        uploads,
        spooled,
        done: Math.max(old, takenBack, ours, visitors, imports, exported) < filesAtOnce,
      };
    },
  };
}

/** Bytes go before their rows forget them. */
async function purgeFiles({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const { retentionDays } = media;
  if (retentionDays === null) return 0;
  const before = new Date(Date.now() - retentionDays * dayMs);
  const files = await transaction(dataSource, systemOf(), (tx) =>
    listOldFiles(tx, before, filesAtOnce),
  );
  for (const { id: mediaId, accountId, keys } of files) {
    await deleteFile(media, { accountId, mediaId }, keys);
    Context.current().heartbeat();
  }
  const ids = files.map(({ id }) => id);
  await transaction(dataSource, systemOf(), (tx) => markFilesErased(tx, ids));
  return files.length;
}

/** Files that their messages took back, and whose runs did not delete them. */
async function purgeTakenBack({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const before = new Date(Date.now() - takenBackMs);
  const files = await transaction(dataSource, systemOf(), (tx) =>
    listTakenBackFiles(tx, before, filesAtOnce),
  );
  for (const { id: mediaId, accountId, keys } of files) {
    await deleteFile(media, { accountId, mediaId }, keys);
    await transaction(dataSource, systemOf(accountId), (tx) => forgetMediaKeys(tx, mediaId));
    Context.current().heartbeat();
  }
  return files.length;
}

/** Files of imports that their runs have left, and of uploads that a crash cut off. */
async function purgeImportFiles({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const files = await transaction(dataSource, systemOf(), (tx) =>
    listOldFilesOfImports(tx, filesAtOnce),
  );
  for (const { id, accountId } of files) {
    await media.storage.delete(mediaKey(accountId, `import-${id}`, "original"));
    await transaction(dataSource, systemOf(accountId), (tx) => forgetFile(tx, id));
    Context.current().heartbeat();
  }
  return files.length;
}

/** The same of visitors' files, after a shorter time. */
async function purgeVisitUploads({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const before = new Date(Date.now() - visitUploadKeptMs);
  const uploads = await transaction(dataSource, systemOf(), (tx) =>
    listOldVisitUploads(tx, before, filesAtOnce),
  );
  for (const { id, accountId } of uploads) {
    const options = systemOf(accountId);
    const isOurs = await transaction(dataSource, options, (tx) => withdrawVisitUpload(tx, id));
    if (!isOurs) continue;
    await media.storage.delete(mediaKey(accountId, `visit-${id}`, "original"));
    await transaction(dataSource, options, (tx) => deleteVisitUpload(tx, id));
    Context.current().heartbeat();
  }
  return uploads.length;
}

/** Files of exports whose links have ended. */
async function purgeExports({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const exports = await transaction(dataSource, systemOf(), (tx) =>
    listExpiredExports(tx, filesAtOnce),
  );
  for (const { key } of exports) {
    await media.storage.delete(key);
    Context.current().heartbeat();
  }
  const ids = exports.map(({ id }) => id);
  await transaction(dataSource, systemOf(), (tx) => forgetExportFiles(tx, ids));
  await transaction(dataSource, systemOf(), (tx) => deleteOldExports(tx, filesAtOnce));
  return exports.length;
}

async function purgeUploads({ dataSource }: ActivityDeps, media: MediaWork): Promise<number> {
  const before = new Date(Date.now() - uploadKeptMs);
  const uploads = await transaction(dataSource, systemOf(), (tx) =>
    listOldUploads(tx, before, filesAtOnce),
  );
  for (const { id, accountId } of uploads) {
    const options = systemOf(accountId);
    const isOurs = await transaction(dataSource, options, (tx) => withdrawUpload(tx, id));
    if (!isOurs) continue;
    await media.storage.delete(mediaKey(accountId, `upload-${id}`, "original"));
    await transaction(dataSource, options, (tx) => deleteUploadRow(tx, id));
    Context.current().heartbeat();
  }
  return uploads.length;
}
