import { Readable, pipeline } from "node:stream";
import { CsvError, parse, type Options } from "csv-parse";
import { CsvError as SyncCsvError, parse as parseSync } from "csv-parse/sync";
import { importDelimiters, type ImportCharset } from "../model/import-format.ts";
import { ImportFileError } from "./import-error.ts";
import { maxColumns, maxRecordLength, maxRows } from "./limits.ts";
import { readText, splitLines } from "./text.ts";

/** A record of a table. Its number is the line or the row of the sheet at which the record begins. */
export interface TableRow {
  number: number;
  cells: string[];
}

/** Charset and delimiter of a CSV file. */
export interface CsvFormat {
  charset: ImportCharset;
  delimiter: string;
}

const sniffLength = 64 * 1024;
const sniffRecords = 100;
const bomMark = "\uFEFF";
/** Excel names the delimiter in a first line of its own. */
const delimiterLine = /^sep=(.)\r?\n?$/iu;

function optionsOf(delimiter: string): Options {
  return {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    // Some programs write inches as 5" without quoting the cell.
    relax_quotes: true,
    max_record_size: maxRecordLength,
  };
}

/** The delimiter that cuts most of the first records into the same number of cells. */
export async function detectDelimiter(path: string, charset: ImportCharset): Promise<string> {
  const start = await readBeginning(path, charset);
  const named = delimiterLine.exec(start.split(/(?<=\n)/u, 1)[0] ?? "");
  if (named?.[1] !== undefined) return named[1];
  const scored = importDelimiters.map((delimiter) => ({
    delimiter,
    score: scoreOf(start, delimiter),
  }));
  const best = scored.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score > 0 ? best.delimiter : ",";
}

async function readBeginning(path: string, charset: ImportCharset): Promise<string> {
  let text = "";
  for await (const chunk of readText(path, charset)) {
    text += chunk;
    if (text.length >= sniffLength) break;
  }
  return text.replace(bomMark, "").slice(0, sniffLength);
}

/**
 * Share of the records that have the most frequent number of cells, and a little for each cell.
 * Zero for a delimiter that cuts no record.
 */
function scoreOf(text: string, delimiter: string): number {
  const widths = parseStart(text, delimiter).map(({ length }) => length);
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [mode] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (mode === undefined || mode[0] < 2) return 0;
  return mode[1] / widths.length + Math.min(mode[0], 50) / 1000;
}

/** The first records. The last one may be cut, so a fault of the text is no fault here. */
function parseStart(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  try {
    parseSync(text, {
      ...optionsOf(delimiter),
      to: sniffRecords,
      skip_empty_lines: true,
      on_record: (record: string[]) => {
        records.push(record);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof SyncCsvError)) throw error;
  }
  return records;
}

/**
 * Records of a CSV file without blank lines. Bytes are read as fast as records are taken.
 * @throws ImportFileError with the line at which the bad record begins
 */
export async function* readCsv(path: string, format: CsvFormat): AsyncGenerator<TableRow> {
  const parser = parse(optionsOf(format.delimiter));
  // Errors of either stream come out of the iteration below.
  pipeline(Readable.from(readText(path, format.charset)), parser, () => undefined);
  let line = 1;
  let count = 0;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      const number = line;
      line += 1 + record.reduce((sum, cell) => sum + countBreaks(cell), 0);
      if (isBlank(record) || (number === 1 && isDelimiterLine(record, format.delimiter))) continue;
      if (record.length > maxColumns) throw new ImportFileError("too_many_columns", number);
      count += 1;
      if (count > maxRows) throw new ImportFileError("too_many_rows", number);
      yield { number, cells: record };
    }
  } catch (error) {
    if (error instanceof CsvError) throw await explain(error, path, format, line);
    throw error;
  } finally {
    parser.destroy();
  }
}

const isBlank = (record: string[]): boolean => record.every((cell) => cell.trim() === "");

function isDelimiterLine(record: string[], delimiter: string): boolean {
  return delimiterLine.test(record.join(delimiter));
}

function countBreaks(cell: string): number {
  return cell.match(/\r\n|\r|\n/gu)?.length ?? 0;
}

/** A quote that is never closed makes one record of the rest, which then is too large. */
async function explain(
  error: CsvError,
  path: string,
  { charset, delimiter }: CsvFormat,
  line: number,
): Promise<Error> {
  if (error.code === "CSV_QUOTE_NOT_CLOSED") return new ImportFileError("quote_unclosed", line);
  if (error.code !== "CSV_MAX_RECORD_SIZE") return error;
  const first = await findLine(path, charset, line);
  const isOpen = first !== null && endsWithinQuotes(first, delimiter);
  return new ImportFileError(isOpen ? "quote_unclosed" : "record_too_long", line);
}

async function findLine(
  path: string,
  charset: ImportCharset,
  number: number,
): Promise<string | null> {
  try {
    for await (const line of splitLines(readText(path, charset), maxRecordLength)) {
      if (line.number === number) return line.text;
    }
  } catch (error) {
    if (!(error instanceof ImportFileError)) throw error;
  }
  return null;
}

function endsWithinQuotes(line: string, delimiter: string): boolean {
  try {
    parseSync(line, optionsOf(delimiter));
    return false;
  } catch (error) {
    return error instanceof SyncCsvError && error.code === "CSV_QUOTE_NOT_CLOSED";
  }
}
