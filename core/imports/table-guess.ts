import { parseEmail } from "../model/contact.ts";
import type { DetectedColumn, ImportField } from "../model/import.ts";
import { isKnownTitle, proposeFields } from "./column-aliases.ts";
import { cellText } from "./phone-cell.ts";

/** Share of the filled cells of a column that must look like a field. */
const enough = 0.6;

/** @returns true if the first row holds the titles of columns */
export function hasHeader(rows: readonly (readonly string[])[]): boolean {
  const [first = [], second = []] = rows;
  if (first.some(isData)) return false;
  if (first.some(isKnownTitle)) return true;
  return second.some(isData);
}

/** Titles are neither phones nor days nor email addresses. */
function isData(cell: string): boolean {
  return hasManyDigits(cell) || parseEmail(cellText(cell)) !== null;
}

/** True for a phone, and for a day with as many digits. */
function hasManyDigits(cell: string): boolean {
  const text = cellText(cell);
  return /^\+?[\d\s().\u2010-\u2015-]{7,24}$/u.test(text) && text.replace(/\D/gu, "").length >= 7;
}

const year = "(?:19|20)\\d{2}";
const part = "(?:0?[1-9]|[12]\\d|3[01])";
/** A day such as `2026-03-06` or `16.3.2026`. */
const day = new RegExp(`^(?:${year}([.-])${part}\\1${part}|${part}([.-])${part}\\2${year})$`, "u");

function isPhoneLike(cell: string): boolean {
  return hasManyDigits(cell) && !day.test(cellText(cell));
}

/**
 * Columns of a table and the field that each may fill. Titles decide; a column without a known title
 * may be a phone or an email address by its cells.
 * @param rows without the header
 */
export function proposeColumns(
  header: readonly string[] | null,
  rows: readonly (readonly string[])[],
): DetectedColumn[] {
  const width = Math.max(header?.length ?? 0, ...rows.map(({ length }) => length));
  const titles = Array.from({ length: width }, (_, index) => header?.[index] ?? "");
  const columns = proposeFields(titles);
  const propose = (field: ImportField, fits: (cell: string) => boolean): void => {
    if (columns.some((column) => column.field === field)) return;
    const column = columns.find(({ index, field: known }) => {
      return known === null && mostFit(rows, index, fits);
    });
    if (column !== undefined) column.field = field;
  };
  propose("email", (cell) => parseEmail(cell) !== null);
  propose("phone", isPhoneLike);
  if (header === null) propose("name", (cell) => /^\p{L}[^\d@]*$/u.test(cell));
  return columns;
}

function mostFit(
  rows: readonly (readonly string[])[],
  index: number,
  fits: (cell: string) => boolean,
): boolean {
  const cells = rows.map((row) => cellText(row[index] ?? "")).filter((cell) => cell !== "");
  return cells.length > 0 && cells.filter(fits).length >= cells.length * enough;
}
