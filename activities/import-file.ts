import { Context } from "@temporalio/activity";
import type { ImportRun, ImportStep } from "../core/model/workflow/importing.ts";
import {
  beginPhase,
  commitRows,
  expireIdle,
  findImport,
  undoRows,
} from "../core/services/imports/import-steps.ts";
import { listWaitingFiles } from "../core/services/imports/chat-files.ts";
import { forgetFile } from "../core/services/imports/import-files.ts";
import type { Import } from "../db/entities/import.ts";
import { systemOf, transaction, type Tx, type TxOptions } from "../db/transaction.ts";
import type { ActivityDeps } from "./deps.ts";
import { workOnRows, type NextRows } from "./imports/batches.ts";
import type { ImportWork, ImportWorks } from "./imports/import-work.ts";
import { createImportPace, type ImportPace } from "./imports/pace.ts";
import { ImportFileError } from "../core/imports/import-error.ts";
import { withLocalFile } from "../core/imports/local-file.ts";
import { planFile } from "./imports/plan-file.ts";
import type { ImportKindName } from "../core/model/import.ts";
import { retryFor } from "./retry-for.ts";
import { RetryLaterError } from "./retry-later.ts";
import { withHeartbeats } from "./with-heartbeats.ts";

/** Then another worker takes the step, or this one after its restart. */
const retryMs = 1_000;
/** The end of the other import wakes a waiting one. This is for a wake-up that was lost. */
const turnMs = 60_000;

/** One import with the parts that its steps need. */
interface StepParts {
  deps: ActivityDeps;
  work: ImportWork;
  pace: ImportPace;
  row: Import;
  options: TxOptions;
}

/**
 * The steps of an import. Each may run twice, and goes on where the one before it ended.
 * @param works the work of each kind
 */
export function createImportFile(deps: ActivityDeps, works: ImportWorks) {
  const pace = createImportPace(deps.dataSource);
  const step = async ({ accountId, importId }: ImportRun): Promise<ImportStep> => {
    // A stopping worker may still take one more step.
    if (deps.stopping.aborted) throw new RetryLaterError("This process is to stop.", retryMs);
    const options: TxOptions = { actor: { type: "import", accountId } };
    const run = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      await transaction(deps.dataSource, options, work);
    const row = await run((tx) => findImport(tx, importId));
    if (row === null) return { next: "ended", state: "cancelled", handled: 0, total: null };
    return await stepOf({ deps, work: workOf(works, row.kind), pace, row, options });
  };
  return {
    /** Does what the state of an import asks for: plans, commits, or waits for a person. */
    runImport: step,
    /** Takes back what an import has changed. */
    undoImport: step,
  };
}

function workOf(works: ImportWorks, kind: ImportKindName): ImportWork {
  const work = works[kind];
  if (work === undefined) throw new Error(`This worker does not know imports of ${kind}.`);
  return work;
}

async function stepOf(parts: StepParts): Promise<ImportStep> {
  const { row, deps, options, work } = parts;
  switch (row.state) {
    case "planning": {
      const handled = await planFile(deps, { row, work, pace: parts.pace, options });
      deps.log.info({ import_id: row.id, rows: handled }, "import.planned");
      return { next: "more", state: row.state, handled, total: totalOf(row) };
    }
    case "committing":
      return await changeContacts(parts, row.state, (tx, limit) =>
        commitRows(tx, work.rules, { id: row.id, limit }),
      );
    case "undoing":
      return await changeContacts(parts, row.state, (tx, limit) =>
        undoRows(tx, work.rules, { id: row.id, limit }),
      );
    case "uploaded":
    case "mapping":
    case "planned":
    case "paused":
    case "failed":
      return await waitForPerson(parts);
    case "done":
    case "cancelled":
    case "undone":
      return await endImport(parts);
  }
}

async function changeContacts(
  { deps, pace, row, options }: StepParts,
  state: "committing" | "undoing",
  next: NextRows,
): Promise<ImportStep> {
  const { dataSource, log } = deps;
  const total = totalOf(row);
  const begun = await transaction(dataSource, options, (tx) => beginPhase(tx, row.id, state));
  if (begun === "waiting") return { next: "idle", state, waitMs: turnMs, handled: 0, total };
  if (begun === "stopped") return { next: "more", state, handled: 0, total };
  const work = { importId: row.id, options, next };
  const { handled, progress } = await workOnRows(deps, pace, work);
  log.info({ import_id: row.id, rows: handled, state: progress.state }, "import.worked");
  return { next: "more", state: progress.state, handled, total };
}

async function waitForPerson({ deps, row, options }: StepParts): Promise<ImportStep> {
  const { state } = row;
  const waitMs = await transaction(deps.dataSource, options, (tx) => expireIdle(tx, row));
  const common = { state, handled: 0, total: totalOf(row) };
  return waitMs === 0 ? { ...common, next: "more" } : { ...common, next: "idle", waitMs };
}

/**
 * The upload is needed no more. Bytes go before their row forgets them. A try that ended in between
 * has left no upload, so nothing is left to store.
 */
async function endImport({ deps, row, options, work }: StepParts): Promise<ImportStep> {
  const { storageKey, state } = row;
  if (storageKey !== null) {
    // A commit that a person has cut short keeps what it has done.
    if (row.isBegun) await finishIfThere(deps, work, row);
    await deps.media.storage.delete(storageKey);
    await retryFor(() => transaction(deps.dataSource, options, (tx) => forgetFile(tx, row.id)));
  }
  return { next: "ended", state, handled: 0, total: totalOf(row) };
}

/** Without the upload nothing may be left to store. Else its storage is away for a while. */
async function finishIfThere(deps: ActivityDeps, work: ImportWork, row: Import): Promise<void> {
  try {
    await finishImport(deps, work, row);
  } catch (error) {
    if (!(error instanceof ImportFileError) || error.code !== "file_missing") throw error;
    const waiting = await transaction(deps.dataSource, systemOf(row.accountId), (tx) =>
      listWaitingFiles(tx, row.id, { after: 0, limit: 1 }),
    );
    if (waiting.length > 0) throw error;
  }
}

async function finishImport(deps: ActivityDeps, work: ImportWork, row: Import): Promise<void> {
  if (work.finish === undefined) return;
  const { cancellationSignal } = Context.current();
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const signals = [cancellationSignal, deps.stopping];
  for (const signal of signals) signal.addEventListener("abort", abort, { once: true });
  try {
    const { dataSource, log, media } = deps;
    const parts = { dataSource, log, media };
    await withHeartbeats(
      async () =>
        await withLocalFile(
          media,
          row,
          async (path) => await work.finish?.(parts, path, row, controller.signal),
        ),
    );
  } catch (error) {
    if (deps.stopping.aborted) throw new RetryLaterError("This process is to stop.", retryMs);
    throw error;
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  }
}

function totalOf({ counts, state, detected }: Import): number | null {
  if (state !== "planning") return counts.rows;
  if (detected === null) return null;
  return detected.format === "chat" ? detected.messages : detected.rows;
}
