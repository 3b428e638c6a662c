import { z } from "zod";
import type { ImportCounts } from "./workflow/importing.ts";
import { attachmentKinds } from "./attachment.ts";
import { phoneInput } from "./contact.ts";
import { importCharsets, type ImportCharset } from "./import-format.ts";
import { timeZone } from "./schedule.ts";

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

/**
 * Codes of a row that is skipped, in conflict, failed or kept by an undo. The Dashboard shows a
 * text for each.
 */
export const importReasons = [
  // Contacts
  "no_identifier",
  "phone_scientific",
  "cell_error",
  "invalid_phone",
  "invalid_email",
  "name_too_long",
  "invalid_tag",
  "too_many_tags",
  "note_too_long",
  "unknown_stage",
  "contact_conflict",
  // Chats
  "system_line",
  "empty_message",
  "too_old",
  "media_missing",
  // Runs
  "person_erased",
  "row_failed",
  // Undo
  "changed_since",
  "has_conversation",
  "has_appointment",
  "has_identity",
  "has_note",
  "has_tag",
  "has_stage",
  "merged",
  "phone_taken",
  "email_taken",
  "stage_gone",
  "gone",
] as const;
export type ImportReason = (typeof importReasons)[number];

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
  /** Null for a spreadsheet, as the delimiter is. */
  charset: ImportCharset | null;
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

export type Detected = DetectedTable | DetectedChat;

/** Wire shape of `DetectedTable`. */
export const detectedTable = z.strictObject({
  format: z.enum(["csv", "xlsx"]),
  charset: z.enum(importCharsets).nullable(),
  delimiter: z.string().nullable(),
  has_header: z.boolean(),
  columns: z.array(
    z.strictObject({
      index: z.int().min(0),
      title: z.string(),
      field: z.enum(importFields).nullable(),
    }),
  ),
  sample: z.array(z.array(z.string())),
  rows: z.int().min(0),
});

/** Wire shape of `DetectedChat`. */
export const detectedChat = z.strictObject({
  format: z.literal("chat"),
  authors: z.array(z.strictObject({ name: z.string(), messages: z.int().min(0) })),
  day_first: z.boolean().nullable(),
  sample: z.array(z.string()),
  messages: z.int().min(0),
  media: z.int().min(0),
  first_at: z.string(),
  last_at: z.string(),
});

const maxColumns = 200;
const country = z
  .string()
  .regex(/^[A-Z]{2}$/u, "Use an ISO code of two capital letters, such as MX.");

/** Mapping of a table: columns to fields, and the options of the import. */
export const contactMapping = z.strictObject({
  columns: z
    .array(
      z.strictObject({
        index: z
          .int()
          .min(0)
          .max(maxColumns - 1),
        field: z.enum(importFields).nullable(),
      }),
    )
    .max(maxColumns)
    .refine(
      (columns) => new Set(columns.map(({ index }) => index)).size === columns.length,
      "Name each column once.",
    )
    .refine(
      (columns) => ["phone", "email"].some((field) => columns.some((one) => one.field === field)),
      "Map a column to phone or email: they tell contacts apart.",
    )
    .refine(
      (columns) =>
        ["name", "phone", "email", "stage", "note"].every(
          (field) => columns.filter((one) => one.field === field).length < 2,
        ),
      "Map one column to each field. Tags alone may have several.",
    ),
  has_header: z.boolean().default(true),
  overwrite: z
    .boolean()
    .default(false)
    .describe("True: a cell replaces the contact's value. False: it fills an empty one only."),
  country: country.nullable().default(null).describe("Country of numbers without its code."),
  pipeline_id: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("The pipeline of the stages; null: the account's first one."),
});
export type ContactMapping = z.output<typeof contactMapping>;

/** Mapping of a chat: the participants, and the way to read its dates. */
export const chatMapping = z.strictObject({
  us: z.string().min(1).max(254).describe("The author who is us, as the file names them."),
  contact: z.strictObject({
    phone: phoneInput,
    name: z.string().trim().min(1).max(200).nullable().default(null),
  }),
  time_zone: timeZone.describe("Zone of the phone that made the export."),
  day_first: z.boolean(),
});
export type ChatMapping = z.output<typeof chatMapping>;

export type ImportMapping = ContactMapping | ChatMapping;

/** A tab, a space, or a sign of ASCII. The quotation mark encloses cells. */
const oneSign = /^[\t !#-/:-@[-`{-~]$/u;

/** Change of an import. The kind of the import decides the shape of the mapping. */
export const importPatch = z
  .strictObject({
    mapping: z
      .record(z.string(), z.unknown())
      .describe("As `contactMapping` or `chatMapping` has it."),
    charset: z
      .enum(importCharsets, `Use ${importCharsets.join(", ")}, or null to have it detected.`)
      .nullable()
      .describe("Charset of a CSV file, which is read again with it. Null: detected anew."),
    delimiter: z
      .string()
      .regex(oneSign, "Use a tab, a space or one sign, but no letter, digit or quotation mark.")
      .nullable()
      .describe("Delimiter of a CSV file, which is read again with it. Null: detected anew."),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, "Send a mapping, a charset or a delimiter.");
export type ImportPatch = z.output<typeof importPatch>;

/** A message of a chat, as a row keeps it. */
export const chatRow = z.strictObject({
  at: z.string().describe("The moment in UTC."),
  direction: z.enum(["in", "out"]),
  text: z.string(),
  kind: z.enum(["text", ...attachmentKinds, "deleted", "view_once", "omitted"]),
  file: z.string().nullable().describe("Name of its file within the archive."),
});
export type ChatRow = z.output<typeof chatRow>;

/** Content of a row: the cells of a record, or a message. Null once it was erased. */
export type RawRow = string[] | ChatRow;

/** Plans of a row. In a chat `create` is a new message, and `unchanged` is there already. */
export const rowPlans = ["create", "update", "unchanged", "skip", "conflict"] as const;
export type RowPlan = (typeof rowPlans)[number];

/** Outcomes of a row in a commit. */
export const commitOutcomes = [
  "created",
  "updated",
  "unchanged",
  "skipped",
  "conflict",
  "failed",
] as const;

/** Outcomes of a row in an undo. */
export const undoOutcomes = ["undone", "kept"] as const;

/** States of a row: `pending`, or the outcome of the commit or of the undo. */
export const rowStates = ["pending", ...commitOutcomes, ...undoOutcomes] as const;
export type RowState = (typeof rowStates)[number];

/** Rows with one reason: of a plan, or of an outcome. The other of the two is null. */
export interface ReasonCount {
  plan: RowPlan | null;
  state: RowState | null;
  reason: ImportReason;
  count: number;
}

/** Counts of an import without any row. */
export function noCounts(): ImportCounts {
  return {
    rows: 0,
    planned: { create: 0, update: 0, unchanged: 0, skip: 0, conflict: 0 },
    done: {
      created: 0,
      updated: 0,
      unchanged: 0,
      skipped: 0,
      conflicts: 0,
      failed: 0,
      undone: 0,
      kept: 0,
    },
  };
}
