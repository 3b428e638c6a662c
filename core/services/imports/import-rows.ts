import { In, type SelectQueryBuilder } from "typeorm";
import { Import, ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  noCounts,
  type ImportReason,
  type RawRow,
  type ReasonCount,
  type RowPlan,
  type RowState,
} from "../../model/import.ts";
import { toWellFormed } from "../../model/wire.ts";
import type { ImportCounts } from "../../model/workflow/importing.ts";
import { allOf, cutPage, getOwned, placeholders } from "../sql.ts";
import type { ImportJob, PlannedRow, RawRecord } from "./import-kind.ts";

/** The outcome that a plan leads to. Any other one is shown as a difference. */
const expected: Readonly<Record<RowPlan, RowState>> = {
  create: "created",
  update: "updated",
  unchanged: "unchanged",
  skip: "skipped",
  conflict: "conflict",
};

/** Filters of the rows of an import. A row must match all of them. */
export interface RowFilter {
  plan?: RowPlan | undefined;
  state?: RowState | undefined;
  reason?: string | undefined;
  /** True: only rows whose outcome is not the planned one, or that an undo kept. */
  differs?: boolean | undefined;
}

/**
 * Rows of an import in the order of the file, paged by their number.
 * @param after the number of the last row of the page before; 0 for the first page
 * @throws AppError `import_not_found`
 */
export async function listRows(
  tx: Tx,
  importId: number,
  { after, limit, ...filter }: RowFilter & { after: number; limit: number },
): Promise<{ rows: ImportRow[]; next: number | null }> {
  await getOwned(tx, Import, "import", { id: importId });
  const { plan, state, reason, differs } = filter;
  const conditions: [string, ...unknown[]][] = [
    ["import_id = ?", importId],
    ["number > ?", after],
  ];
  if (plan !== undefined) conditions.push(["plan = ?", plan]);
  if (state !== undefined) conditions.push(["state = ?", state]);
  if (reason !== undefined) conditions.push(["reason = ?", reason]);
  if (differs === true) conditions.push(["differs = 1"]);
  const where = allOf(conditions);
  const numbers = await tx.manager.query<{ number: number }[]>(
    `SELECT number FROM import_rows FORCE INDEX (${indexFor(filter)})
      WHERE ${where.sql} ORDER BY number LIMIT ?`,
    [...where.values, limit + 1],
  );
  const { page, next } = cutPage(numbers, limit);
  const rows = await tx.manager.find(ImportRow, {
    where: { importId, number: In(page.map(({ number }) => number)) },
    order: { number: "ASC" },
  });
  return { rows, next: next?.number ?? null };
}

function indexFor({ plan, differs }: RowFilter): string {
  if (differs === true) return "import_rows_differs";
  return plan === undefined ? "PRIMARY" : "import_rows_plan";
}

/** Plans that leave a row out. */
const leftOut: readonly RowPlan[] = ["skip", "conflict"];

/**
 * Rows that were not taken as they are: skipped, in conflict, or with another outcome than planned.
 * In the order of the file, paged by their number.
 */
export async function listErrorRows(
  tx: Tx,
  importId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: ImportRow[]; next: number | null }> {
  const found = await inFileOrder(tx, importId)
    .andWhere("r.number > :after", { after })
    .andWhere("(r.plan IN (:...leftOut) OR r.differs = 1)", { leftOut })
    .orderBy("r.number")
    .limit(limit + 1)
    .getMany();
  const { page, next } = cutPage(found, limit);
  return { rows: page, next: next?.number ?? null };
}

/** Stores the plans of records. */
export async function insertRows(
  tx: Tx,
  { id, accountId }: ImportJob,
  records: readonly RawRecord[],
  planned: readonly PlannedRow[],
): Promise<void> {
  const raws = new Map(records.map(({ number, raw }) => [number, raw]));
  const values = planned.flatMap((row) => [
    id,
    row.number,
    accountId,
    storableOf(raws.get(row.number) ?? null),
    row.plan,
    row.reason,
    row.fields === null ? null : JSON.stringify(row.fields),
    row.phoneKey,
    row.email,
    row.contactId,
    row.firstRow,
  ]);
  await tx.manager.query(
    `INSERT INTO import_rows (import_id, number, account_id, raw, plan, reason, fields, phone_key,
                              email, contact_id, first_row)
     VALUES ${planned.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`,
    values,
  );
}

/** JSON that a column takes: half of a surrogate pair would be refused. */
function storableOf(raw: RawRow | null): string {
  return JSON.stringify(raw, (_key, part: unknown) =>
    typeof part === "string" ? toWellFormed(part) : part,
  );
}

/** Deletes a batch of the rows behind a number. @returns true if none is left */
export async function deleteRowsAfter(
  tx: Tx,
  importId: number,
  number: number,
  limit: number,
): Promise<boolean> {
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    "DELETE FROM import_rows WHERE import_id = ? AND number > ? ORDER BY number LIMIT ?",
    [importId, number, limit],
  );
  return affectedRows < limit;
}

/** Rows of an import by their key. MySQL would read all of them by another index, and sort them. */
function inFileOrder({ manager }: Tx, importId: number): SelectQueryBuilder<ImportRow> {
  return manager
    .createQueryBuilder(ImportRow, "r")
    .useIndex("PRIMARY")
    .where("r.importId = :importId", { importId });
}

/** The next rows of a commit. */
export async function listNextRows(
  tx: Tx,
  { id, cursorRow }: Pick<Import, "id" | "cursorRow">,
  limit: number,
): Promise<ImportRow[]> {
  return await inFileOrder(tx, id)
    .andWhere("r.number > :cursorRow", { cursorRow })
    .orderBy("r.number")
    .limit(limit)
    .getMany();
}

/** The next rows of an undo, the last row of the file first. Rows that changed nothing are left out. */
export async function listPreviousRows(
  tx: Tx,
  { id, cursorRow }: Pick<Import, "id" | "cursorRow">,
  limit: number,
): Promise<ImportRow[]> {
  return await inFileOrder(tx, id)
    .andWhere("r.number < :cursorRow", { cursorRow })
    .andWhere("r.state IN ('created', 'updated')")
    .orderBy("r.number", "DESC")
    .limit(limit)
    .getMany();
}

/** Numbers of the first and the last row of a batch. */
export type RowRange = [first: number, last: number];

/** Gives the outcome of rows that no kind has to look at: those that the plan leaves out. */
export async function skipRows(tx: Tx, importId: number, [first, last]: RowRange): Promise<void> {
  await tx.manager.query(
    `UPDATE import_rows SET state = 'skipped'
      WHERE import_id = ? AND number BETWEEN ? AND ? AND plan = 'skip' AND state = 'pending'`,
    [importId, first, last],
  );
}

/** Keeps rows of erased persons at an undo: the contact is gone, and so are its former values. */
export async function keepErased(tx: Tx, importId: number, [first, last]: RowRange): Promise<void> {
  await tx.manager.query(
    `UPDATE import_rows SET state = 'kept', reason = 'person_erased'
      WHERE import_id = ? AND number BETWEEN ? AND ? AND raw IS NULL
        AND state IN ('created', 'updated')`,
    [importId, first, last],
  );
}

/** Gives a row the outcome of a fault of our own. */
export async function failRow(
  tx: Tx,
  importId: number,
  { number, state }: { number: number; state: "failed" | "kept" },
): Promise<void> {
  await tx.manager.query(
    "UPDATE import_rows SET state = ?, reason = 'row_failed' WHERE import_id = ? AND number = ?",
    [state, importId, number],
  );
}

/**
 * Marks rows whose outcome is not the planned one, and rows that an undo kept.
 * @returns their number
 */
export async function markDifferences(
  tx: Tx,
  importId: number,
  [first, last]: RowRange,
): Promise<number> {
  const plans = Object.keys(expected) as RowPlan[];
  const cases = plans.map(() => "WHEN ? THEN ?").join(" ");
  const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
    `UPDATE import_rows SET differs = 1
      WHERE import_id = ? AND number BETWEEN ? AND ? AND differs = 0
        AND state NOT IN ('pending', 'undone') AND state <> CASE plan ${cases} END`,
    [importId, first, last, ...plans.flatMap((plan) => [plan, expected[plan]])],
  );
  return affectedRows;
}

/** Counts of an import, with the reasons of its rows. */
type Tally = Pick<Import, "counts" | "reasons" | "differing">;

/** The counts after new plans. */
export function countPlans(
  { counts, reasons }: Tally,
  planned: readonly PlannedRow[],
): Omit<Tally, "differing"> {
  const added: ImportCounts = structuredClone(counts);
  const tally = [...reasons];
  added.rows += planned.length;
  for (const { plan, reason } of planned) {
    added.planned[plan] += 1;
    if (reason !== null) addReason(tally, { plan, state: null, reason, count: 1 });
  }
  return { counts: added, reasons: tally };
}

const doneCounts = {
  created: "created",
  updated: "updated",
  unchanged: "unchanged",
  skipped: "skipped",
  conflict: "conflicts",
  failed: "failed",
  undone: "undone",
  kept: "kept",
} as const satisfies Partial<Record<RowState, keyof ImportCounts["done"]>>;

/**
 * The counts after a batch of a commit or an undo, as the rows themselves have it.
 * @param states outcomes of the phase; other rows of the range count no more
 */
export async function countOutcomes(
  tx: Tx,
  { id, counts, reasons }: Pick<Import, "id"> & Tally,
  [first, last]: RowRange,
  states: readonly RowState[],
): Promise<Omit<Tally, "differing">> {
  const added: ImportCounts = structuredClone(counts);
  const tally = [...reasons];
  const found = await tx.manager.query<
    { state: keyof typeof doneCounts; reason: ImportReason | null; total: number }[]
  >(
    `SELECT state, reason, COUNT(*) AS total FROM import_rows FORCE INDEX (PRIMARY)
      WHERE import_id = ? AND number BETWEEN ? AND ? AND state IN (${placeholders(states)})
      GROUP BY state, reason`,
    [id, first, last, ...states],
  );
  for (const { state, reason, total } of found) {
    added.done[doneCounts[state]] += Number(total);
    // The plan has told the reasons of rows that it skips.
    if (reason === null || state === "skipped") continue;
    addReason(tally, { plan: null, state, reason, count: Number(total) });
  }
  return { counts: added, reasons: tally };
}

function addReason(tally: ReasonCount[], added: ReasonCount): void {
  const at = tally.findIndex(
    ({ plan, state, reason }) =>
      plan === added.plan && state === added.state && reason === added.reason,
  );
  const known = tally[at];
  if (known === undefined) tally.push({ ...added });
  else tally[at] = { ...known, count: known.count + added.count };
}

/** Counts without plans and outcomes, for a plan from the start. */
export function noTally(): Tally {
  return { counts: noCounts(), reasons: [], differing: 0 };
}
