import type { DataSource } from "typeorm";
import type { Logger } from "../../core/log.ts";
import type { ImportKindName } from "../../core/model/import.ts";
import type { ImportJob, ImportKind, RawRecord } from "../../core/services/imports/import-kind.ts";
import type { MediaWork } from "../media/port.ts";

/** Parts of a worker that the work after a commit may need. */
export interface FinishDeps {
  dataSource: DataSource;
  log: Logger;
  media: MediaWork;
}

/** Work of one kind of import. */
export interface ImportWork {
  /** Its rules, which run in transactions. */
  rules: ImportKind;
  /**
   * Reads the records of a file in their order.
   * @param path a local copy of the upload
   * @throws ImportFileError
   */
  read(path: string, job: ImportJob): AsyncIterable<RawRecord>;
  /** Work after the commit that needs the file and no transaction. It may run twice. */
  finish?(deps: FinishDeps, path: string, job: ImportJob, signal: AbortSignal): Promise<void>;
}

/** The work of each kind that a worker knows. */
export type ImportWorks = Readonly<Partial<Record<ImportKindName, ImportWork>>>;
