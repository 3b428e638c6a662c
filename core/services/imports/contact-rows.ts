import type { Tx } from "../../../db/transaction.ts";
import { judgeContactRow, type RefusedRow, type RowContact } from "../../imports/contact-row.ts";
import type { RowStage } from "../../imports/contact-book.ts";
import type { ContactMapping, ImportReason, RawRow, RowState } from "../../model/import.ts";
import type { ImportJob } from "./import-kind.ts";
import type { readStageNames, StageNames } from "./contact-reads.ts";

/** A record of a table with its judgement. */
export interface JudgedRow {
  number: number;
  judged: { contact: RowContact; stage: RowStage | null } | RefusedRow;
}

/** Judged records, and the pipeline of their stages; null where none names a stage. */
export interface JudgedRows {
  rows: JudgedRow[];
  pipelineId: number | null;
}

/** The mapping of an import of contacts. */
export function mappingOf({ mapping }: Pick<ImportJob, "mapping">): ContactMapping {
  if (mapping === null || !("columns" in mapping)) {
    throw new Error("An import of contacts has no mapping.");
  }
  return mapping;
}

/**
 * Judges records without their owners, and finds the stages that they name.
 * @param stagesOf `lockStageNames` keeps the stages until the transaction ends.
 */
export async function judgeRows(
  tx: Tx,
  job: Pick<ImportJob, "mapping">,
  records: readonly { number: number; raw: RawRow | null }[],
  stagesOf: typeof readStageNames,
): Promise<JudgedRows> {
  const mapping = mappingOf(job);
  const judged = records.map(({ number, raw }) => ({
    number,
    judged: Array.isArray(raw)
      ? judgeContactRow(raw, mapping)
      : ({ reason: "person_erased" } as const),
  }));
  const hasStages = judged.some((row) => "stage" in row.judged && row.judged.stage !== null);
  const stages = hasStages ? await stagesOf(tx, mapping.pipeline_id) : null;
  return {
    rows: judged.map((row) => ({ number: row.number, judged: withStage(row.judged, stages) })),
    pipelineId: stages?.pipelineId ?? null,
  };
}

function withStage(
  judged: RowContact | RefusedRow,
  stages: StageNames | null,
): JudgedRow["judged"] {
  if ("reason" in judged) return judged;
  if (judged.stage === null) return { contact: judged, stage: null };
  const stage = stages?.find(judged.stage) ?? null;
  return stage === null ? { reason: "unknown_stage" } : { contact: judged, stage };
}

/** The contacts of the records that were not refused. */
export function contactsOf({ rows }: JudgedRows): RowContact[] {
  return rows.flatMap(({ judged }) => ("contact" in judged ? judged.contact : []));
}

/** Outcome of a row, as its columns hold it. */
export interface RowResult {
  number: number;
  state: RowState;
  reason: ImportReason | null;
  contactId: number | null;
  beforeValues: object | null;
  afterVersion: number | null;
}

/** Writes the outcomes of rows in one statement. */
export async function storeResults(
  tx: Tx,
  importId: number,
  results: readonly RowResult[],
): Promise<void> {
  if (results.length === 0) return;
  await tx.manager.query(
    `UPDATE (VALUES ${results.map(() => "ROW(?, ?, ?, ?, ?, ?)").join(", ")})
              AS done (number, state, reason, contact_id, before_values, after_version)
       STRAIGHT_JOIN import_rows r ON r.import_id = ? AND r.number = done.number
        SET r.state = done.state, r.reason = done.reason, r.contact_id = done.contact_id,
            r.before_values = done.before_values, r.after_version = done.after_version`,
    [
      ...results.flatMap((row) => [
        row.number,
        row.state,
        row.reason,
        row.contactId,
        row.beforeValues === null ? null : JSON.stringify(row.beforeValues),
        row.afterVersion,
      ]),
      importId,
    ],
  );
}
