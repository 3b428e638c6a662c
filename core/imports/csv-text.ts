import { stringify } from "csv-stringify/sync";

/** Without it Excel reads a file as windows-1252. */
export const byteOrderMark = "\uFEFF";

/** A spreadsheet would take it for a formula. Spaces and quotation marks before it do not help. */
const formula = String.raw`(?=[ \u00A0"]*[=+\-@\t\r])`;
/**
 * Many countries have spreadsheets that part cells at semicolons, also within our quoted ones. Some
 * programs end a line at U+0085, U+2028 and U+2029 too.
 */
const partEnd = String.raw`[\n\r\u0085\u2028\u2029;]`;
const formulaStart = new RegExp(`(?<=^|${partEnd})${formula}`, "gu");
const guardWithin = new RegExp(`(?<=${partEnd})'${formula}`, "gu");

/**
 * A cell that no spreadsheet runs as a formula: each of its lines that begins like one, also behind
 * a semicolon, gets an apostrophe.
 */
export function defuseCell(text: string): string {
  return text.replace(formulaStart, "'");
}

/** Takes the apostrophes of `defuseCell` away again, except the one at the start of the cell. */
export function restoreCell(text: string): string {
  return text.replace(guardWithin, "");
}

/** Records as lines of a CSV file, with defused cells. */
export function csvText(records: readonly (readonly string[])[]): string {
  return stringify(records.map((cells) => cells.map(defuseCell)));
}
