import type { DetectedChat, DetectedTable, ImportKindName } from "../model/import.ts";
import type { ImportCharset } from "../model/import-format.ts";
import { readMediaType, unknownType } from "../media/media-type.ts";
import { openArchive } from "./archive.ts";
import { detectChat } from "./chat-detect.ts";
import { isArchive, openChat } from "./chat-file.ts";
import { parseHead } from "./chat-head.ts";
import { detectDelimiter, readCsv, type TableRow } from "./csv.ts";
import { ImportFileError } from "./import-error.ts";
import { maxSampleLength, sampleRows } from "./limits.ts";
import { spreadsheetReader } from "./spreadsheet.ts";
import { hasHeader, proposeColumns } from "./table-guess.ts";
import { detectCharset, markedCharset, readStart, readText } from "./text.ts";
import { readXlsx } from "./xlsx.ts";

/** Charset and delimiter that a person has chosen instead of the detected ones. */
export interface ChosenFormat {
  charset?: ImportCharset | undefined;
  delimiter?: string | undefined;
}

/** Looks at a file: see `detectFile`, which runs this function in a process of its own. */
export async function detectContent(
  path: string,
  kind: ImportKindName,
  chosen: ChosenFormat,
): Promise<DetectedChat | DetectedTable> {
  const content = await readContent(path);
  if (kind === "chat") {
    if (content === "spreadsheet") throw new ImportFileError("file_unsupported");
    return await detectChatFile(path);
  }
  if (content === "archive") throw new ImportFileError("file_unsupported");
  if (content === "spreadsheet") return await detectXlsx(path);
  return await detectCsv(path, chosen);
}

/** @throws ImportFileError for a file that is neither a text nor an archive */
async function readContent(path: string): Promise<"text" | "archive" | "spreadsheet"> {
  const start = await readStart(path, 8);
  if (start.length === 0) throw new ImportFileError("file_empty");
  if (start.equals(oleMark)) throw await explainOle(path);
  if (await isArchive(path)) return await readArchiveContent(path);
  // The mark looks like the start of a sound.
  if (markedCharset(start) !== null) return "text";
  const type = await readMediaType(path);
  if (type !== unknownType) throw new ImportFileError("file_unsupported");
  return "text";
}

/** Old spreadsheets of Excel, and encrypted new ones, are containers of this kind. */
const oleMark = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const encryptedPart = Buffer.from("EncryptedPackage", "utf16le");

/** The sector of the container's folder is named at byte 48. */
async function explainOle(path: string): Promise<ImportFileError> {
  const sector = (await readStart(path, 4, 48)).readUInt32LE();
  const folder = await readStart(path, 4096, (sector + 1) * 512);
  return new ImportFileError(folder.includes(encryptedPart) ? "zip_encrypted" : "file_unsupported");
}

async function readArchiveContent(path: string): Promise<"archive" | "spreadsheet"> {
  const archive = await openArchive(path);
  try {
    const isSpreadsheet = archive.files.some(({ name }) => name === "xl/workbook.xml");
    return isSpreadsheet ? "spreadsheet" : "archive";
  } finally {
    archive.close();
  }
}

async function detectChatFile(path: string): Promise<DetectedChat> {
  const source = await openChat(path);
  try {
    return await detectChat(source);
  } finally {
    source.close();
  }
}

async function detectXlsx(path: string): Promise<DetectedTable> {
  const rows = readXlsx(path, spreadsheetReader);
  return await detectTable(rows, { format: "xlsx", charset: null, delimiter: null });
}

async function detectCsv(path: string, chosen: ChosenFormat): Promise<DetectedTable> {
  const charset = chosen.charset ?? (await detectCharset(path));
  if (await beginsAsChat(path, charset)) throw new ImportFileError("file_unsupported");
  const delimiter = chosen.delimiter ?? (await detectDelimiter(path, charset));
  const rows = readCsv(path, { charset, delimiter });
  return await detectTable(rows, { format: "csv", charset, delimiter });
}

/** A chat is text too, and its commas would make a table of it. */
async function beginsAsChat(path: string, charset: ImportCharset): Promise<boolean> {
  for await (const chunk of readText(path, charset)) {
    return parseHead(chunk.slice(0, 1000).split(/\r?\n/u, 1)[0] ?? "") !== null;
  }
  return false;
}

async function detectTable(
  source: AsyncIterable<TableRow>,
  format: Pick<DetectedTable, "format" | "charset" | "delimiter">,
): Promise<DetectedTable> {
  const sample: string[][] = [];
  let sampleLength = 0;
  let count = 0;
  for await (const { cells } of source) {
    count += 1;
    // A longer row ends the sample.
    if (count > sampleRows || sample.length < count - 1) continue;
    sampleLength += lengthOf(cells);
    // The header is told by the first two rows.
    if (count <= 2 || sampleLength <= maxSampleLength) sample.push(cells);
  }
  const [first = []] = sample;
  const isHeader = hasHeader(sample);
  const rows = count - (isHeader ? 1 : 0);
  if (rows === 0) throw new ImportFileError("file_empty");
  const columns = proposeColumns(isHeader ? first : null, sample.slice(isHeader ? 1 : 0));
  return { ...format, has_header: isHeader, columns, sample, rows };
}

function lengthOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.length, 0);
}
