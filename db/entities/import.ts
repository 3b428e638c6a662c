import { Entity, Index } from "typeorm";
import type {
  Detected,
  ImportErrorCode,
  ImportKindName,
  ImportMapping,
  ImportReason,
  RawRow,
  ReasonCount,
  RowPlan,
  RowState,
} from "../../core/model/import.ts";
import type { ImportCounts, ImportState } from "../../core/model/workflow/importing.ts";
import { Bytes, Flag, Id, Int, Json, Moment, MomentNow, Ref, Text, Token } from "./columns.ts";

/** A file of contacts or of a chat, and its way into the account. */
@Entity("imports")
@Index("imports_account", ["accountId", "id"])
@Index("imports_headers", ["accountId", "headerHash", "id"])
@Index("imports_state", ["state", "id"])
@Index("imports_file", ["fileUntil", "id"])
@Index("imports_rows", ["rowsUntil", "id"])
@Index("imports_created", ["createdAt", "id"])
export class Import {
  @Id() id: number;
  @Ref() accountId: number;
  @Token(16) kind: ImportKindName;
  @Token(16) state: ImportState;
  /** Name of the file; null without one, and after the erasure of the person of a chat. */
  @Text(255, { nullable: true }) name: string | null;
  /** Bytes. */
  @Ref() size: number;
  @Bytes(32) sha256: Buffer;
  /** Null until the storage has the file, and once the file is gone. */
  @Token(191, { nullable: true }) storageKey: string | null;
  @Json({ nullable: true }) detected: Detected | null;
  @Json({ nullable: true }) mapping: ImportMapping | null;
  /** SHA-256 of the titles, by which a mapping is found again; null for a chat. */
  @Bytes(32, { nullable: true }) headerHash: Buffer | null;
  /** True once a person has saved the mapping: only then it is proposed again. */
  @Flag({ default: false }) isMapped: boolean;
  /** Contact of a chat, by its phone: an erasure finds the import. Null for a table. */
  @Token(15, { nullable: true }) phoneKey: string | null;
  @Json() counts: ImportCounts;
  @Json() reasons: ReasonCount[];
  /** Rows whose outcome is not the planned one, or that an undo kept. */
  @Int({ unsigned: true, default: 0 }) differing: number;
  /** The last row that the present phase has finished; at an undo the first one. */
  @Ref({ default: 0 }) cursorRow: number;
  @Token(32, { nullable: true }) errorCode: ImportErrorCode | null;
  /** Line of the file; null where the error has none. */
  @Int({ unsigned: true, nullable: true }) errorLine: number | null;
  /** True once a commit has begun, so that there may be something to undo. */
  @Flag({ default: false }) isBegun: boolean;
  @Ref({ nullable: true }) createdByUserId: number | null;
  @MomentNow() createdAt: Date;
  @MomentNow() updatedAt: Date;
  @Moment({ nullable: true }) plannedAt: Date | null;
  /** Start of the commit. */
  @Moment({ nullable: true }) startedAt: Date | null;
  /** End of the commit, of the undo, or of the import as such. */
  @Moment({ nullable: true }) finishedAt: Date | null;
  /** End of the time in which a person may undo the import. */
  @Moment({ nullable: true }) undoUntil: Date | null;
  /** End of the retention of the file, and of the rows; null: they are gone or still needed. */
  @Moment({ nullable: true }) fileUntil: Date | null;
  @Moment({ nullable: true }) rowsUntil: Date | null;
}

/** A record of a table or a message of a chat, with its plan and its outcome. */
@Entity("import_rows")
@Index("import_rows_plan", ["importId", "plan", "number"])
@Index("import_rows_differs", ["importId", "differs", "number"])
@Index("import_rows_contact", ["accountId", "contactId", "importId"])
@Index("import_rows_phone", ["accountId", "phoneKey", "importId"])
@Index("import_rows_email", ["accountId", "email", "importId"])
export class ImportRow {
  @Ref({ primary: true }) importId: number;
  /** Place of the record in its file, from 1. A header counts. */
  @Int({ unsigned: true, primary: true }) number: number;
  @Ref() accountId: number;
  /** Null once it was erased. */
  @Json({ nullable: true }) raw: RawRow | null;
  @Token(16) plan: RowPlan;
  /** Of the plan, and later of the outcome. */
  @Token(32, { nullable: true }) reason: ImportReason | null;
  /** Fields that an update changes, such as `["name", "tags"]`. */
  @Json({ nullable: true }) fields: string[] | null;
  @Token(16, { default: "pending" }) state: RowState;
  @Flag({ default: false }) differs: boolean;
  @Token(15, { nullable: true }) phoneKey: string | null;
  @Text(254, { nullable: true, collation: "utf8mb4_0900_as_ci" }) email: string | null;
  /** The contact that the row created or changed; in a plan the one that it will change. */
  @Ref({ nullable: true }) contactId: number | null;
  /** The row of the same file that creates the contact of this row; null for any other row. */
  @Int({ unsigned: true, nullable: true }) firstRow: number | null;
  @Ref({ nullable: true }) messageId: number | null;
  /** Values before the commit, for the undo. The kind of the import decides their shape. */
  @Json({ nullable: true }) beforeValues: object | null;
  /** Version of the contact after the commit. */
  @Int({ unsigned: true, nullable: true }) afterVersion: number | null;
}

/** The one import of an account that may change contacts now. */
@Entity("import_turns")
@Index("import_turns_import", ["importId"])
export class ImportTurn {
  @Ref({ primary: true }) accountId: number;
  @Ref() importId: number;
  @MomentNow() takenAt: Date;
}

/** A process of the API that answers requests now: imports then rest between two batches. */
@Entity("busy_processes")
@Index("busy_processes_until", ["busyUntil"])
export class BusyProcess {
  @Token(36, { primary: true }) processId: string;
  /** By the clock of the database. */
  @Moment() busyUntil: Date;
}
