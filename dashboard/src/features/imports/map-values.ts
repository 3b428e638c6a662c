import type {
  ChatMapping,
  ContactMapping,
  DetectedChat,
  DetectedTable,
  ImportField,
} from "../../../../core/model/import.ts";

/** The table's mapping as the form holds it. `columns[i]` is the field of column `i`. */
export interface TableDraft {
  columns: (ImportField | null)[];
  hasHeader: boolean;
  overwrite: boolean;
  country: string | null;
  pipelineId: number | null;
}

/** The draft of a table: the stored mapping, else the fields that the titles suggest. */
export function tableDraft(table: DetectedTable, mapping: ContactMapping | null): TableDraft {
  const width = Math.max(table.columns.length, ...table.sample.map((row) => row.length));
  const stored = new Map(mapping?.columns.map(({ index, field }) => [index, field]));
  return {
    columns: Array.from({ length: width }, (_, index) => {
      const own = stored.get(index);
      return own === undefined ? (table.columns[index]?.field ?? null) : own;
    }),
    hasHeader: mapping?.has_header ?? table.has_header,
    overwrite: mapping?.overwrite ?? false,
    country: mapping?.country ?? null,
    pipelineId: mapping?.pipeline_id ?? null,
  };
}

/**
 * The draft of a table that was read in another way. Its columns are other ones, and the options of
 * the import stay.
 */
export function rereadDraft(
  draft: TableDraft,
  table: DetectedTable,
  mapping: ContactMapping | null,
): TableDraft {
  const { columns, hasHeader } = tableDraft(table, mapping);
  return { ...draft, columns, hasHeader };
}

/** @returns true where the delimiter divides no row. */
export function isOneColumn({ sample }: DetectedTable): boolean {
  return sample.every((row) => row.length < 2);
}

/** UTF-8 that was read as windows-1252, such as `Ã±` for `ñ`, and signs without a meaning. */
const foreign = /[ÂÃ][\u0080-\u00BF\u0152-\u02DC\u2013-\u203A\u20AC\u2122]|â[\u201A\u20AC]|\uFFFD/u;

/**
 * @returns true where the charset gives signs that nobody writes. UTF-16 makes one sign of two, so
 * that other text loses its ends of lines.
 */
export function hasForeignSigns(table: DetectedTable): boolean {
  const { charset, sample } = table;
  const isWide = charset === "utf-16le" || charset === "utf-16be";
  if (isWide && sample.length === 1 && isOneColumn(table)) return true;
  return sample.some((row) => row.some((cell) => foreign.test(cell)));
}

/** The mapping that is sent. Columns that are left out are named too. */
export function tableMapping(draft: TableDraft): ContactMapping {
  return {
    columns: draft.columns.map((field, index) => ({ index, field })),
    has_header: draft.hasHeader,
    overwrite: draft.overwrite,
    country: draft.country,
    pipeline_id: draft.columns.includes("stage") ? draft.pipelineId : null,
  };
}

/** The titles of the columns and the rows below them. `titles[i]` is null for a column without. */
export function previewOf(
  { sample }: DetectedTable,
  { columns, hasHeader }: TableDraft,
): { titles: (string | null)[]; rows: string[][] } {
  const [head = [], ...others] = sample;
  const titles = columns.map((_, index) => (hasHeader ? head[index]?.trim() || null : null));
  return { titles, rows: hasHeader ? others : sample };
}

/** A reason why a table's mapping cannot be used. */
export type TableFault = { code: "need_reach" } | { code: "twice"; field: ImportField };

/** Finds the first fault of a mapping; null where there is none. Tags alone may have many columns. */
export function findTableFault({ columns }: TableDraft): TableFault | null {
  const twice = columns.find(
    (field, index) => field !== null && field !== "tags" && columns.indexOf(field) !== index,
  );
  if (twice !== undefined && twice !== null) return { code: "twice", field: twice };
  if (columns.includes("phone") || columns.includes("email")) return null;
  return { code: "need_reach" };
}

/** The chat's mapping as the form holds it. */
export interface ChatDraft {
  us: string | null;
  phone: string;
  name: string;
  timeZone: string;
  dayFirst: boolean | null;
}

/** The draft of a chat. WhatsApp names people without a contact entry by their phone. */
export function chatDraft(
  chat: DetectedChat,
  mapping: ChatMapping | null,
  timeZone: string,
): ChatDraft {
  if (mapping !== null) {
    return {
      us: mapping.us,
      phone: mapping.contact.phone,
      name: mapping.contact.name ?? "",
      timeZone: mapping.time_zone,
      dayFirst: mapping.day_first,
    };
  }
  return { us: null, phone: "", name: "", timeZone, dayFirst: chat.day_first };
}

/** The draft after the choice of the author who is us. The other author names the contact. */
export function chooseUs(chat: DetectedChat, draft: ChatDraft, us: string): ChatDraft {
  const other = chat.authors.find(({ name }) => name !== us)?.name ?? "";
  const before = chat.authors.find(({ name }) => name !== draft.us)?.name ?? "";
  const isPhone = /^\+?[\d\s().-]{8,}$/u.test(other);
  const isOwnName = draft.name === "" || draft.name === before;
  return {
    ...draft,
    us,
    phone: isPhone && draft.phone === "" ? digitsOf(other) : draft.phone,
    name: isOwnName ? other : draft.name,
  };
}

/** Digits of a phone, as the API takes them. */
function digitsOf(phone: string): string {
  return phone.replaceAll(/\D/gu, "");
}

/** @returns true for a phone with 8 to 15 digits. */
export function isWholePhone(phone: string): boolean {
  return /^\d{8,15}$/u.test(digitsOf(phone));
}

/** The mapping that is sent; null while something is missing. */
export function chatMappingOf(draft: ChatDraft): ChatMapping | null {
  const { us, phone, name, timeZone, dayFirst } = draft;
  if (us === null || dayFirst === null || !isWholePhone(phone)) return null;
  return {
    us,
    contact: { phone: digitsOf(phone), name: name.trim() === "" ? null : name.trim() },
    time_zone: timeZone,
    day_first: dayFirst,
  };
}

/**
 * The calendar day at the beginning of a chat's line, such as `2026-11-24`; null where the line
 * shows none in this order. Years come first or last.
 */
export function dayOfLine(line: string, dayFirst: boolean): string | null {
  const found = /(\d{1,4})[./-] ?(\d{1,2})[./-] ?(\d{1,4})/u.exec(line);
  const [first, second, third] = (found?.slice(1) ?? []).map(Number);
  if (first === undefined || second === undefined || third === undefined) return null;
  const isYearFirst = first > 31;
  const year = isYearFirst ? first : third < 100 ? 2000 + third : third;
  const [left, right] = isYearFirst ? [second, third] : [first, second];
  // After a year the month comes next, in every format of WhatsApp.
  const isDayLeft = isYearFirst ? false : dayFirst;
  const [day, month] = isDayLeft ? [left, right] : [right, left];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.toISOString().slice(0, 10);
}
