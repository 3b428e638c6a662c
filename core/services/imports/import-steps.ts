import { Import, type ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  commitOutcomes,
  undoOutcomes,
  type ImportErrorCode,
  type RowState,
} from "../../model/import.ts";
import type { ImportState } from "../../model/workflow/importing.ts";
import type { ImportKind, RawRecord } from "./import-kind.ts";
import {
  countOutcomes,
  countPlans,
  deleteRowsAfter,
  failRow,
  insertRows,
  keepErased,
  listNextRows,
  listPreviousRows,
  markDifferences,
  noTally,
  skipRows,
  type RowRange,
} from "./import-rows.ts";
import { releaseTurn, takeTurn } from "./import-turns.ts";
import { endOf, idleMs, store, storeProgress } from "./imports.ts";
import { findOwned } from "../sql.ts";

/** Rows of one transaction. */
export const rowsAtOnce = 500;

/** Progress after one batch of a commit or an undo. */
export interface BatchProgress {
  state: ImportState;
  /** Rows that this batch has finished. */
  handled: number;
  /** The phase has ended, or a person has stopped it. */
  done: boolean;
}

const gone: BatchProgress = { state: "cancelled", handled: 0, done: true };

/** The import as a run finds it, without a lock; null once it is gone. */
export async function findImport(tx: Tx, id: number): Promise<Import | null> {
  return await tx.manager.findOneBy(Import, { id, accountId: tx.actor.accountId });
}

async function lock(tx: Tx, id: number): Promise<Import | null> {
  const where = { id, accountId: tx.actor.accountId };
  return await tx.manager.findOne(Import, { where, lock: { mode: "pessimistic_write" } });
}

/**
 * Begins or continues a phase that changes contacts, once it is the import's turn.
 * @returns `waiting` while another import of the account has the turn
 */
export async function beginPhase(
  tx: Tx,
  id: number,
  state: "committing" | "undoing",
): Promise<"begun" | "waiting" | "stopped"> {
  const row = await lock(tx, id);
  if (row?.state !== state) return "stopped";
  return (await takeTurn(tx, id)) ? "begun" : "waiting";
}

/** Deletes a batch of plans that an earlier try has left. @returns true if none is left */
export async function clearPlans(tx: Tx, id: number, limit: number): Promise<boolean> {
  const row = await lock(tx, id);
  if (row?.state !== "planning") return true;
  return await deleteRowsAfter(tx, id, row.cursorRow, limit);
}

/**
 * Plans records that follow the row `after`.
 * @returns false if the import is not being planned any more, or another run is further
 */
export async function planRecords(
  tx: Tx,
  kind: ImportKind,
  { id, after }: { id: number; after: number },
  records: RawRecord[],
): Promise<boolean> {
  const row = await lock(tx, id);
  if (row?.state !== "planning" || row.cursorRow !== after) return false;
  const planned = await kind.planBatch(tx, row, records);
  await insertRows(tx, row, records, planned);
  const cursorRow = records.at(-1)?.number ?? after;
  await storeProgress(tx, row, { ...countPlans(row, planned), cursorRow });
  return true;
}

/** Ends the planning of all records. */
export async function endPlanning(tx: Tx, id: number, after: number): Promise<void> {
  const row = await lock(tx, id);
  if (row?.state !== "planning" || row.cursorRow !== after) return;
  await store(tx, row, { state: "planned", cursorRow: 0, plannedAt: tx.now });
}

/** Records that the file of an import cannot be read. A person can map and plan it again. */
export async function failImport(
  tx: Tx,
  id: number,
  { code, line }: { code: ImportErrorCode; line: number | null },
): Promise<void> {
  const row = await lock(tx, id);
  if (row?.state !== "planning") return;
  await store(tx, row, { ...noTally(), state: "failed", errorCode: code, errorLine: line });
}

/**
 * Commits the next rows. The rows, the contacts and the place of the import change together, so that
 * no crash repeats a row or leaves one out.
 * @param limit at most 500
 */
export async function commitRows(
  tx: Tx,
  kind: ImportKind,
  { id, limit }: { id: number; limit: number },
): Promise<BatchProgress> {
  const row = await lock(tx, id);
  if (row === null) return gone;
  if (row.state !== "committing") return { state: row.state, handled: 0, done: true };
  const rows = await listNextRows(tx, row, limit);
  const range = rangeOf(rows);
  if (range === null) return await end(tx, row, { state: "done" });
  await skipRows(tx, id, range);
  // The erasure of a person has skipped rows before their turn.
  const open = rows.filter(({ plan, state }) => plan !== "skip" && state === "pending");
  if (open.length > 0) await kind.commitBatch(tx, row, open);
  await settle(tx, row, range, { states: commitOutcomes, cursorRow: range[1] });
  return { state: row.state, handled: rows.length, done: false };
}

/** Takes back the rows before the place of the import, as `commitRows` does. */
export async function undoRows(
  tx: Tx,
  kind: ImportKind,
  { id, limit }: { id: number; limit: number },
): Promise<BatchProgress> {
  const row = await lock(tx, id);
  if (row === null) return gone;
  if (row.state !== "undoing") return { state: row.state, handled: 0, done: true };
  const rows = await listPreviousRows(tx, row, limit);
  const range = rangeOf(rows);
  if (range === null) return await end(tx, row, { state: "undone" });
  const known = rows.filter(({ raw }) => raw !== null);
  await keepErased(tx, id, range);
  if (known.length > 0) await kind.undoBatch(tx, row, known);
  await settle(tx, row, range, { states: undoOutcomes, cursorRow: range[0] });
  return { state: row.state, handled: rows.length, done: false };
}

/** Row up to which the present phase is done; 0 where the import is gone. */
export async function readCursor(tx: Tx, id: number): Promise<number> {
  return (await findOwned(tx, Import, { id }))?.cursorRow ?? 0;
}

/**
 * Records that the row after `cursorRow` has failed, so that the others go on. Does nothing where
 * another run has gone on from there meanwhile.
 */
export async function failNextRow(tx: Tx, id: number, cursorRow: number): Promise<BatchProgress> {
  const row = await lock(tx, id);
  if (row === null) return gone;
  if (row.cursorRow !== cursorRow) return { state: row.state, handled: 0, done: false };
  const isUndo = row.state === "undoing";
  if (!isUndo && row.state !== "committing") return { state: row.state, handled: 0, done: true };
  const rows = isUndo ? await listPreviousRows(tx, row, 1) : await listNextRows(tx, row, 1);
  const range = rangeOf(rows);
  if (range === null) return { state: row.state, handled: 0, done: false };
  const [number] = range;
  await failRow(tx, id, { number, state: isUndo ? "kept" : "failed" });
  await settle(tx, row, range, {
    states: isUndo ? undoOutcomes : commitOutcomes,
    cursorRow: number,
  });
  return { state: row.state, handled: 1, done: false };
}

function rangeOf(rows: readonly ImportRow[]): RowRange | null {
  const numbers = rows.map(({ number }) => number);
  if (numbers.length === 0) return null;
  return [Math.min(...numbers), Math.max(...numbers)];
}

async function settle(
  tx: Tx,
  row: Import,
  range: RowRange,
  { states, cursorRow }: { states: readonly RowState[]; cursorRow: number },
): Promise<void> {
  const differing = row.differing + (await markDifferences(tx, row.id, range));
  const counted = await countOutcomes(tx, row, range, states);
  await storeProgress(tx, row, { ...counted, differing, cursorRow });
}

async function end(
  tx: Tx,
  row: Import,
  { state }: { state: "done" | "undone" },
): Promise<BatchProgress> {
  await store(tx, row, { state, ...endOf(tx, row), ...(state === "undone" ? notAgain : {}) });
  await releaseTurn(tx, row.id);
  return { state, handled: 0, done: true };
}

const notAgain = { undoUntil: null } as const;

/**
 * Closes an import that nobody went on with.
 * @param known the state that the run saw: after another change it looks again
 * @returns the time until then in milliseconds; 0 to look again
 */
export async function expireIdle(tx: Tx, known: Pick<Import, "id" | "state">): Promise<number> {
  const row = await lock(tx, known.id);
  if (row?.state !== known.state) return 0;
  const leftMs = row.updatedAt.getTime() + idleMs - tx.now.getTime();
  if (leftMs > 0) return leftMs;
  await store(tx, row, { ...endOf(tx, row), state: "cancelled", errorCode: "import_expired" });
  return 0;
}
