import { readFile, stat } from "node:fs/promises";
import { Parser } from "htmlparser2";
import { openArchive, type Archive } from "./archive.ts";
import type { TableRow } from "./csv.ts";
import { ImportFileError } from "./import-error.ts";
import {
  maxColumns,
  maxHeldPartBytes,
  maxRecordLength,
  maxRows,
  maxSpreadsheetBytes,
} from "./limits.ts";
import type { SheetValue, SpreadsheetReader } from "./spreadsheet.ts";

/**
 * Rows of the first visible sheet of a spreadsheet, without empty rows. Runs in a process of its
 * own: the library holds the file and its shared texts in memory.
 * @throws ImportFileError
 */
export async function* readXlsx(path: string, reader: SpreadsheetReader): AsyncGenerator<TableRow> {
  const { size } = await stat(path);
  if (size > maxSpreadsheetBytes) throw new ImportFileError("file_too_large");
  const sheet = await inspect(path);
  let count = 0;
  let number = 0;
  for await (const row of reader.readRows(await readFile(path), sheet)) {
    // A file may repeat the number of a row, or have none.
    number = row.index >= number ? row.index + 1 : number + 1;
    if (number > maxRows) throw new ImportFileError("too_many_rows", maxRows);
    const cells = toCells(row.values);
    if (cells.length === 0) continue;
    if (cells.length > maxColumns) throw new ImportFileError("too_many_columns", number);
    const length = cells.reduce((sum, cell) => sum + cell.length, 0);
    if (length > maxRecordLength) throw new ImportFileError("record_too_long", number);
    count += 1;
    if (count > maxRows) throw new ImportFileError("too_many_rows", number);
    yield { number, cells };
  }
}

/** Checks the archive. @returns the name of the first visible sheet */
async function inspect(path: string): Promise<string> {
  const archive = await openArchive(path);
  try {
    await inflateAll(archive);
    return await getVisibleSheet(archive);
  } finally {
    archive.close();
  }
}

/**
 * Inflates every file once and drops the bytes. The library trusts the sizes that the archive names,
 * so they are proven before it runs.
 */
async function inflateAll(archive: Archive): Promise<void> {
  for (const { name, size } of archive.files) {
    const isHeld = !/^xl\/(?:worksheets|media)\//u.test(name);
    if (isHeld && size > maxHeldPartBytes) throw new ImportFileError("zip_too_large");
    for await (const chunk of await archive.open(name)) void chunk;
  }
}

type Attributes = Record<string, string>;

async function getVisibleSheet(archive: Archive): Promise<string> {
  const workbook = await readAttributes(archive, "xl/workbook.xml", "sheet");
  const relations = await readAttributes(archive, "xl/_rels/workbook.xml.rels", "Relationship");
  const worksheets = new Set(
    relations.filter(({ Type }) => Type?.endsWith("/worksheet")).map(({ Id }) => Id),
  );
  const visible = workbook.find(
    (sheet) => (sheet["state"] ?? "visible") === "visible" && worksheets.has(sheet["r:id"]),
  );
  if (visible?.["name"] === undefined) throw new ImportFileError("sheet_missing");
  return visible["name"];
}

/** Attributes of each element of a name in a part of the file. */
async function readAttributes(
  archive: Archive,
  part: string,
  element: string,
): Promise<Attributes[]> {
  const isThere = archive.files.some(({ name }) => name === part);
  if (!isThere) throw new ImportFileError("file_unreadable");
  const found: Attributes[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name === element || name.endsWith(`:${element}`)) found.push(attributes);
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder();
  for await (const chunk of await archive.open(part)) {
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.end();
  return found;
}

function toCells(values: readonly SheetValue[]): string[] {
  const cells = values.map(toText);
  while (cells.at(-1) === "") cells.pop();
  return cells;
}

/** A phone in a cell is a number, which must not become `5.49E+12`. */
function toText(value: SheetValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number")
    return Number.isInteger(value) ? wholeDigits(value) : String(value);
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (value instanceof Date) return toDay(value);
  return value;
}

function wholeDigits(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** A day, and its time of day unless the time is midnight. */
function toDay(date: Date): string {
  if (Number.isNaN(date.getTime())) return "";
  const [day = "", time = ""] = date.toISOString().split("T");
  return time.startsWith("00:00:00") ? day : `${day} ${time.slice(0, 8)}`;
}
