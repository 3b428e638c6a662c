import type { ImportErrorCode } from "../model/import.ts";

/** A fault of an uploaded file. The person who uploaded it can read the code. */
export class ImportFileError extends Error {
  override readonly name = "ImportFileError";

  /** @param line number of the line, or of the row of a sheet, from 1; null without a place */
  constructor(
    readonly code: ImportErrorCode,
    readonly line: number | null = null,
  ) {
    super(line === null ? code : `${code} (line ${line})`);
  }
}
