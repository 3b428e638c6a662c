import { z } from "zod";
import { exportErrors, exportKinds, exportStates } from "../export.ts";
import { recordId, timestamp } from "../wire.ts";

/** An export, for the person who asked for it. */
export const exportView = z.strictObject({
  id: recordId,
  kind: z.enum(exportKinds),
  state: z.enum([...exportStates, "expired"]).describe("`expired`: the file is gone."),
  rows: z.int().min(0).describe("Rows written so far; files count as rows of one contact."),
  name: z.string().describe("Name of the file."),
  size: z.int().min(0).nullable().describe("Bytes of the file, once it is done."),
  expires_at: timestamp.nullable().describe("End of the link, once it is done."),
  error: z.enum(exportErrors).nullable(),
  created_at: timestamp,
});
export type ExportView = z.output<typeof exportView>;

/** An export in the list of the account. */
export const exportRowView = exportView.extend({
  created_by_name: z.string().nullable().describe("Null where the user is gone."),
  is_mine: z.boolean().describe("False: a colleague asked, and the file opens for nobody else."),
});
export type ExportRowView = z.output<typeof exportRowView>;
