import type { Import, ImportRow } from "../../../db/entities/import.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RawRow } from "../../model/import.ts";

/** Facts of an import for its kind. */
export type ImportJob = Pick<
  Import,
  "id" | "accountId" | "kind" | "mapping" | "detected" | "createdByUserId"
>;

/** A record as the file has it. */
export interface RawRecord {
  number: number;
  raw: RawRow;
}

/** The plan of a record. */
export type PlannedRow = Pick<
  ImportRow,
  "number" | "plan" | "reason" | "fields" | "contactId" | "firstRow" | "phoneKey" | "email"
>;

/**
 * Rules of one kind of import. Every function runs in a transaction that holds the lock of the
 * import, and that is repeated after a `WriteConflict`, a deadlock or a lock timeout. None of them
 * publishes an event.
 */
export interface ImportKind {
  /** Judges records in the order of the file. The plans of all earlier records are stored. */
  planBatch(tx: Tx, job: ImportJob, records: RawRecord[]): Promise<PlannedRow[]>;
  /**
   * Applies at most 500 rows in the order of the file, and judges each of them again. Rows with the
   * plan `skip` are not among them. It writes the outcome into `state` and `reason` of each row,
   * and what an undo needs into `contact_id`, `message_id`, `before_values` and `after_version`.
   */
  commitBatch(tx: Tx, job: ImportJob, rows: ImportRow[]): Promise<void>;
  /**
   * Takes back rows whose state is `created` or `updated`, the last row first. It writes `undone`
   * or `kept` into the state of each, and the reason of a kept one.
   */
  undoBatch(tx: Tx, job: ImportJob, rows: ImportRow[]): Promise<void>;
}
