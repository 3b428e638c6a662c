import { createReadStream } from "node:fs";
import { Context } from "@temporalio/activity";
import { AppError } from "../core/errors.ts";
import { FileTooLargeError } from "../core/media/spool.ts";
import { mediaKey } from "../core/media/storage.ts";
import type { ExportError } from "../core/model/export.ts";
import {
  beginExport,
  completeExport,
  failExport,
  noteExportRows,
} from "../core/services/exports/exports.ts";
import { exportTables } from "../core/services/exports/export-tables.ts";
import type { Export } from "../db/entities/export.ts";
import { systemOf, transaction } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { archiveBytes, csvBytes, type ExportWork } from "./exports/export-files.ts";
import { ZipTooLargeError } from "./exports/zip.ts";
import type { MediaWork } from "./media/port.ts";
import { withHeartbeats } from "./with-heartbeats.ts";

/** Ids of an export. */
export type ExportInput = { accountId: number; exportId: number };

/** Bytes of the largest file. */
const maxBytes = 4 * 2 ** 30 - 1;
/** Time between two records of the progress. Live views hear of each. */
const noteEveryMs = 1_000;

/** Parts of the worker that exports need. */
export type ExportDeps = Pick<ActivityDeps, "dataSource" | "log" | "stopping"> & {
  media: Pick<MediaWork, "storage" | "spool">;
};

/** Steps of an export. Each may run twice: the second run writes the whole file anew. */
export function createExportFile(deps: ExportDeps) {
  const { dataSource, media, log } = deps;
  return {
    /** Writes the file of an export into the storage, page by page. */
    async writeExport({ accountId, exportId }: ExportInput): Promise<{ state: string }> {
      const options = systemOf(accountId);
      const row = await transaction(dataSource, options, (tx) => beginExport(tx, exportId));
      if (row === null) return { state: "ended" };
      const progress = createProgress(deps, row);
      const work = {
        dataSource,
        storage: media.storage,
        row,
        onRows: async (rows: number) => await progress.note(rows),
      };
      try {
        // A large file takes minutes to store, and tells nothing meanwhile.
        const file = await withHeartbeats(async () => await storeFile(media, work, row));
        const facts = { ...file, rows: progress.rows() };
        const isKept = await transaction(dataSource, options, (tx) =>
          completeExport(tx, exportId, facts),
        );
        // The erasure of a person has ended the export meanwhile.
        if (!isKept) await media.storage.delete(file.key);
        return { state: isKept ? "done" : "ended" };
      } catch (error) {
        const code = codeOf(error);
        if (code === null) throw error;
        log.warn({ exportId, code }, "export.failed");
        await transaction(dataSource, options, (tx) => failExport(tx, exportId, code));
        return { state: "failed" };
      }
    },

    /** Gives an export up whose file could not be written for a long time. */
    async giveUpExport({ accountId, exportId }: ExportInput): Promise<{ state: string }> {
      const options = systemOf(accountId);
      const isDone = await transaction(dataSource, options, (tx) =>
        failExport(tx, exportId, "export_failed"),
      );
      // A try that went on after its time has stored the file.
      if (isDone) return { state: "done" };
      await media.storage.delete(keyOf(accountId, exportId));
      return { state: "failed" };
    },
  };
}

function keyOf(accountId: number, exportId: number): string {
  return mediaKey(accountId, `export-${exportId}`, "original");
}

async function storeFile(
  { spool, storage }: Pick<MediaWork, "spool" | "storage">,
  work: ExportWork,
  { id, accountId, kind }: Pick<Export, "id" | "accountId" | "kind">,
): Promise<{ key: string; size: number }> {
  const key = keyOf(accountId, id);
  const bytes = kind === "contact" ? archiveBytes(work) : csvBytes(work, exportTables[kind]);
  const file = await spool.write(`export-${accountId}-${id}`, bytes, maxBytes);
  try {
    await storage.put(key, createReadStream(file.path), file.size);
  } finally {
    await file.remove();
  }
  return { key, size: file.size };
}

/** Errors that no repetition can mend. */
function codeOf(error: unknown): ExportError | null {
  if (error instanceof FileTooLargeError || error instanceof ZipTooLargeError) {
    return "export_too_large";
  }
  if (error instanceof AppError && error.code === "contact_not_found") return "contact_gone";
  return null;
}

/** Ends a stopped activity after each page, and records the rows now and then. */
function createProgress({ dataSource, stopping }: ExportDeps, row: Export) {
  let rows = 0;
  let notedAt = 0;
  return {
    rows: () => rows,
    async note(count: number): Promise<void> {
      rows = Math.max(rows, count);
      Context.current().cancellationSignal.throwIfAborted();
      stopping.throwIfAborted();
      if (performance.now() - notedAt < noteEveryMs) return;
      notedAt = performance.now();
      const options = systemOf(row.accountId);
      await transaction(dataSource, options, (tx) => noteExportRows(tx, row.id, rows));
    },
  };
}
