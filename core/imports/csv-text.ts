import { stringify } from "csv-stringify/sync";

/** Without it Excel reads a file as windows-1252. */
export const byteOrderMark = "\uFEFF";

/** Starts of a line that a spreadsheet would take for a formula. Spaces before them do not help. */
const formula = /^(?=[ \u00A0]*[=+\-@\t\r])/gmu;

/**
 * A cell that no spreadsheet runs as a formula: each of its lines that begins like one gets an
 * apostrophe.
 */
export function defuseCell(text: string): string {
  return text.replace(formula, "'");
}

/** Records as lines of a CSV file, with defused cells. */
export function csvText(records: readonly (readonly string[])[]): string {
  return stringify(records.map((cells) => cells.map(defuseCell)));
}
