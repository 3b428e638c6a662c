import type { DetectedTable } from "../model/import.ts";
import { readCsv, type TableRow } from "./csv.ts";
import { runReader } from "./reader-process.ts";

/**
 * Rows of a table without its header, in ascending order of their numbers. The number is the line,
 * or the row of the sheet, at which the row begins.
 * @param path a local file
 * @param detected as `detectFile` returned it, or with another `has_header`
 * @throws ImportFileError
 */
export async function* readTable(
  path: string,
  detected: Pick<DetectedTable, "format" | "charset" | "delimiter" | "has_header">,
  signal?: AbortSignal,
): AsyncGenerator<TableRow> {
  const { charset, delimiter } = detected;
  const rows: AsyncIterable<TableRow> =
    detected.format === "xlsx"
      ? runReader({ task: "xlsx", path }, signal)
      : readCsv(path, { charset: charset ?? "utf-8", delimiter: delimiter ?? "," });
  let isHeader = detected.has_header;
  for await (const row of rows) {
    if (!isHeader) yield row;
    isHeader = false;
  }
}
