import { randomBytes } from "node:crypto";
import type { DataSource } from "typeorm";
import { WriteConflict } from "../../core/errors.ts";
import type { ContactMapping, ImportField, ReasonCount } from "../../core/model/import.ts";
import { contactImport } from "../../core/services/imports/contact-import.ts";
import type { ImportJob, PlannedRow } from "../../core/services/imports/import-kind.ts";
import { insertRow } from "../../core/services/sql.ts";
import { noCounts } from "../../core/model/import.ts";
import { Import, ImportRow } from "../../db/entities/import.ts";
import { transaction, type Tx } from "../../db/transaction.ts";

/** The columns of a test's table, in their order. */
export const importColumns: readonly ImportField[] = [
  "name",
  "phone",
  "email",
  "tags",
  "stage",
  "note",
];

/** Runs `work` as an import does. */
export async function asImport<T>(
  dataSource: DataSource,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await transaction(dataSource, { actor: { type: "import", accountId } }, work);
}

/** Makes an import whose columns are `importColumns`. */
export async function createContactImport(
  dataSource: DataSource,
  accountId: number,
  options: Partial<Pick<ContactMapping, "overwrite" | "country" | "pipeline_id">> = {},
): Promise<ImportJob> {
  const mapping: ContactMapping = {
    columns: importColumns.map((field, index) => ({ index, field })),
    has_header: false,
    overwrite: true,
    country: null,
    pipeline_id: null,
    ...options,
  };
  const job = {
    accountId,
    kind: "contacts",
    mapping,
    detected: null,
    createdByUserId: null,
  } as const;
  const facts = {
    state: "planned",
    name: "t.csv",
    size: 1,
    counts: noCounts(),
    reasons: [] as ReasonCount[],
  } as const;
  const id = await asImport(dataSource, accountId, (tx) =>
    insertRow(tx, Import, { ...job, ...facts, sha256: randomBytes(32) }),
  );
  return { ...job, id };
}

/** Plans rows in batches, and stores the plans as the import's activity does. */
export async function planRows(
  dataSource: DataSource,
  job: ImportJob,
  rows: readonly string[][],
  batchSize = 500,
): Promise<PlannedRow[]> {
  const records = rows.map((raw, index) => ({ number: index + 1, raw }));
  const planned: PlannedRow[] = [];
  for (let from = 0; from < records.length; from += batchSize) {
    const batch = records.slice(from, from + batchSize);
    planned.push(
      ...(await asImport(dataSource, job.accountId, async (tx) => {
        const plans = await contactImport.planBatch(tx, job, batch);
        for (const [index, plan] of plans.entries()) {
          const whose = { importId: job.id, accountId: job.accountId, raw: batch[index]?.raw };
          await insertRow(tx, ImportRow, { ...plan, ...whose });
        }
        return plans;
      })),
    );
  }
  return planned;
}

/** Commits the planned rows in batches. @returns the rows afterwards. */
export async function commitRows(
  dataSource: DataSource,
  job: ImportJob,
  batchSize = 500,
): Promise<ImportRow[]> {
  const rows = (await rowsOf(dataSource, job)).filter(({ plan }) => plan !== "skip");
  for (let from = 0; from < rows.length; from += batchSize) {
    const batch = rows.slice(from, from + batchSize);
    await commitBatch(dataSource, job, batch);
  }
  return await rowsOf(dataSource, job);
}

/** A batch that lost too often is committed row by row, as the import's activity does. */
async function commitBatch(dataSource: DataSource, job: ImportJob, batch: ImportRow[]) {
  const commit = async (rows: ImportRow[]) =>
    await asImport(dataSource, job.accountId, (tx) => contactImport.commitBatch(tx, job, rows));
  try {
    await commit(batch);
  } catch (error) {
    if (!(error instanceof WriteConflict) || batch.length === 1) throw error;
    for (const row of batch) await commit([row]);
  }
}

/** Takes the committed rows back in batches, the last one first. @returns the rows afterwards. */
export async function undoRows(
  dataSource: DataSource,
  job: ImportJob,
  batchSize = 500,
): Promise<ImportRow[]> {
  const isOpen = ({ state }: ImportRow) => state === "created" || state === "updated";
  for (;;) {
    const rows = (await rowsOf(dataSource, job)).filter(isOpen).toReversed().slice(0, batchSize);
    if (rows.length === 0) return await rowsOf(dataSource, job);
    await asImport(dataSource, job.accountId, (tx) => contactImport.undoBatch(tx, job, rows));
  }
}

/** The rows of an import in the order of the file. */
export async function rowsOf(dataSource: DataSource, job: ImportJob): Promise<ImportRow[]> {
  return await dataSource.manager.find(ImportRow, {
    where: { importId: job.id },
    order: { number: "ASC" },
  });
}
