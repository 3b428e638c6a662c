import { z } from "zod";
import { attachmentView, type AttachmentKind } from "./attachment.ts";
import { logParameters, recordId, timestamp } from "./wire.ts";

/** Kinds of files by which the files of a contact are filtered. */
export const fileFilters = ["image", "video", "document", "audio"] as const;
export type FileFilter = (typeof fileFilters)[number];

/** Kinds that a filter shows: a sticker is a picture too. */
export function kindsOf(filter: FileFilter): AttachmentKind[] {
  return filter === "image" ? ["image", "sticker"] : [filter];
}

/** Query of the files of a contact. */
export const contactFilesQuery = z.object({
  ...logParameters,
  kind: z.enum(fileFilters, `Use one of ${fileFilters.join(", ")}.`).optional(),
});
export type ContactFilesQuery = z.output<typeof contactFilesQuery>;

/** A file of a contact, with the message that carries it. */
export const contactFileView = attachmentView.extend({
  id: recordId,
  message_id: recordId,
  conversation_id: recordId,
  direction: z.enum(["inbound", "outbound"]),
  created_at: timestamp,
});
export type ContactFileView = z.output<typeof contactFileView>;

/** `meta` of the files of a contact. */
export const contactFilesMeta = z.strictObject({
  limit: z.int(),
  next: z.int().nullable().describe("`before_id` of the next page; null on the last page."),
});
