import { z } from "zod";
import { attachmentKinds } from "./attachment.ts";

/** Kinds of imports: a table of contacts, or the export of one WhatsApp chat. */
export const importKinds = ["contacts", "chat"] as const;
export type ImportKindName = (typeof importKinds)[number];

/** Fields of a contact that a column may fill. */
export const importFields = ["name", "phone", "email", "tags", "stage", "note"] as const;
export type ImportField = (typeof importFields)[number];

/**
 * Codes of a file that cannot be imported, and of an import that ended early. `import_expired`: no
 * one went on with the import for seven days.
 */
export const importErrorCodes = [
  "file_empty",
  "file_unreadable",
  "file_unsupported",
  "file_too_large",
  "file_missing",
  "nul_byte",
  "quote_unclosed",
  "record_too_long",
  "too_many_columns",
  "too_many_rows",
  "zip_encrypted",
  "zip_nested",
  "zip_unsafe_name",
  "zip_too_many_entries",
  "zip_too_large",
  "zip_ratio",
  "zip_without_chat",
  "sheet_missing",
  "chat_empty",
  "chat_group",
  "import_expired",
  "import_erased",
] as const;
export type ImportErrorCode = (typeof importErrorCodes)[number];

/** A column of a table, with the field that its title suggests. */
export interface DetectedColumn {
  /** From 0. */
  index: number;
  title: string;
  field: ImportField | null;
}

/** Facts of an uploaded table, as its content shows them. */
export interface DetectedTable {
  format: "csv" | "xlsx";
  charset: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" | null;
  delimiter: string | null;
  has_header: boolean;
  columns: DetectedColumn[];
  /** The first 50 records, with the header. */
  sample: string[][];
  /** Records without the header. */
  rows: number;
}

/** Facts of an uploaded chat. */
export interface DetectedChat {
  format: "chat";
  authors: { name: string; messages: number }[];
  /** Null: the dates cannot tell. */
  day_first: boolean | null;
  /** Three lines as they are. */
  sample: string[];
  messages: number;
  /** Messages with a file. */
  media: number;
  first_at: string;
  last_at: string;
}

/** A message of a chat, as a row keeps it. */
export const chatRow = z.strictObject({
  at: z.string().describe("The moment in UTC."),
  direction: z.enum(["in", "out"]),
  text: z.string(),
  kind: z.enum(["text", ...attachmentKinds, "deleted", "view_once", "omitted"]),
  file: z.string().nullable().describe("Name of its file within the archive."),
});
export type ChatRow = z.output<typeof chatRow>;
