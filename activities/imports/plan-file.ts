import { Context } from "@temporalio/activity";
import { ImportFileError } from "../../core/imports/import-error.ts";
import {
  clearPlans,
  endPlanning,
  failImport,
  planRecords,
} from "../../core/services/imports/import-steps.ts";
import type { RawRecord } from "../../core/services/imports/import-kind.ts";
import type { Import } from "../../db/entities/import.ts";
import { transaction, type Tx, type TxOptions } from "../../db/transaction.ts";
import type { ActivityDeps } from "../deps.ts";
import type { ImportWork } from "./import-work.ts";
import type { ImportPace } from "./pace.ts";
import { withHeartbeats } from "../with-heartbeats.ts";
import { withLocalFile } from "../../core/imports/local-file.ts";

const clearedAtOnce = 5_000;

/** Parts of a worker that planning needs. */
export type PlanDeps = Pick<ActivityDeps, "dataSource" | "media" | "stopping">;

/** Options of the planning of one file. */
interface PlanOptions {
  row: Import;
  work: ImportWork;
  pace: ImportPace;
  options: TxOptions;
}

/**
 * Plans the records of a file, behind the place that an earlier try has reached. A file that cannot
 * be read ends the planning as failed.
 * @returns rows that were planned by this call
 */
export async function planFile(deps: PlanDeps, plan: PlanOptions): Promise<number> {
  const { dataSource } = deps;
  const { row, options } = plan;
  const run = async <T>(step: (tx: Tx) => Promise<T>): Promise<T> =>
    await transaction(dataSource, options, step);
  // A parser may take a while before its first record.
  return await withHeartbeats(async () => {
    try {
      while (!(await run((tx) => clearPlans(tx, row.id, clearedAtOnce))));
      return await withLocalFile(deps.media, row, (path) => planRecordsOf(deps, plan, path, run));
    } catch (error) {
      if (!(error instanceof ImportFileError)) throw error;
      await run((tx) => failImport(tx, row.id, error));
      return 0;
    }
  });
}

type Run = <T>(step: (tx: Tx) => Promise<T>) => Promise<T>;

async function planRecordsOf(
  { stopping }: PlanDeps,
  { row, work, pace }: PlanOptions,
  path: string,
  run: Run,
): Promise<number> {
  const { cancellationSignal } = Context.current();
  let after = row.cursorRow;
  let planned = 0;
  let batch: RawRecord[] = [];
  let limit = await pace.rest(null, stopping);
  const flush = async (): Promise<boolean> => {
    const startedAt = performance.now();
    const place = { id: row.id, after };
    const records = batch;
    if (!(await run((tx) => planRecords(tx, work.rules, place, records)))) return false;
    planned += records.length;
    after = records.at(-1)?.number ?? after;
    batch = [];
    limit = await pace.rest({ rows: records.length, ms: performance.now() - startedAt }, stopping);
    return true;
  };
  for await (const record of work.read(path, row)) {
    if (record.number <= row.cursorRow) continue;
    batch.push(record);
    if (batch.length < limit) continue;
    if (!(await flush()) || stopping.aborted) return planned;
    cancellationSignal.throwIfAborted();
  }
  if (batch.length > 0 && !(await flush())) return planned;
  await run((tx) => endPlanning(tx, row.id, after));
  return planned;
}
