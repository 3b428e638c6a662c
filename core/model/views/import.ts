import { z } from "zod";
import {
  chatMapping,
  chatRow,
  contactMapping,
  detectedChat,
  detectedTable,
  importErrorCodes,
  importKinds,
  importReasons,
  rowPlans,
  rowStates,
} from "../import.ts";
import { importStates } from "../workflow/importing.ts";
import { recordId, timestamp } from "../wire.ts";

const count = z.int().min(0);

const importCounts = z.strictObject({
  rows: count,
  planned: z.strictObject({
    create: count,
    update: count,
    unchanged: count,
    skip: count,
    conflict: count,
  }),
  done: z.strictObject({
    created: count,
    updated: count,
    unchanged: count,
    skipped: count,
    conflicts: count,
    failed: count,
    undone: count,
    kept: count,
  }),
});

const detected = z.union([detectedTable, detectedChat]);

/** An import in the list. */
export const importRowView = z.strictObject({
  id: recordId,
  kind: z.enum(importKinds),
  name: z.string().nullable().describe("Name of the file."),
  size: count.describe("Bytes of the file."),
  state: z.enum(importStates),
  is_waiting: z.boolean().describe("Another import of the account has the turn."),
  counts: importCounts,
  error: z
    .strictObject({
      code: z.enum(importErrorCodes),
      line: count.nullable().describe("Line of the file; null where the error has none."),
    })
    .nullable(),
  created_by_name: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
  planned_at: timestamp.nullable(),
  started_at: timestamp.nullable().describe("Start of the commit."),
  finished_at: timestamp.nullable(),
  undo_until: timestamp.nullable(),
  can_undo: z.boolean(),
});
export type ImportRowView = z.output<typeof importRowView>;

/** An import with its file, its mapping and its reasons. */
export const importView = importRowView.extend({
  detected: detected.nullable(),
  mapping: z
    .union([contactMapping, chatMapping])
    .nullable()
    .describe("As saved, else as an earlier file with this header or the titles suggest."),
  reasons: z
    .array(
      z.strictObject({
        plan: z.enum(rowPlans).nullable(),
        state: z.enum(rowStates).nullable(),
        reason: z.enum(importReasons),
        count,
      }),
    )
    .describe("Rows by reason: of plans, where `state` is null, and of outcomes."),
  differing: count.describe("Rows whose outcome is not the planned one, or that an undo kept."),
});
export type ImportView = z.output<typeof importView>;

/** Answer to an upload. */
export const uploadedImportView = z.strictObject({
  id: recordId,
  state: z.enum(importStates),
  detected,
  mapping: z.union([contactMapping, chatMapping]).nullable(),
});

/** A row of an import. */
export const rowOfImportView = z.strictObject({
  row_number: z.int().min(1),
  raw: z
    .union([z.array(z.string()), chatRow])
    .nullable()
    .describe("Null once the person was erased."),
  plan: z.enum(rowPlans),
  reason: z.enum(importReasons).nullable(),
  fields: z.array(z.string()).nullable().describe("Fields that an update changes."),
  state: z.enum(rowStates),
  differs: z.boolean(),
  contact_id: recordId.nullable(),
});
export type RowOfImportView = z.output<typeof rowOfImportView>;
