import { z } from "zod";
import { pageMeta } from "./page.ts";
import { templateValueKinds } from "./template.ts";
import { templatePlaces } from "./template-params.ts";
import {
  idParameter,
  pageParameters,
  recordId,
  searchInQuery,
  shownPageParameters,
  timestamp,
} from "./wire.ts";

/** Query of the list of templates: those of one channel. */
export const templateListQuery = z
  .object({
    ...shownPageParameters,
    channel_account_id: idParameter.optional(),
    conversation_id: idParameter.optional().describe("In place of the channel: its channel."),
    search: searchInQuery.optional().describe("Part of the name or of the text."),
    state: z
      .enum(["approved", "all"])
      .default("approved")
      .describe("`all`: those too that cannot be sent, for admins."),
  })
  .refine(
    (query) => (query.channel_account_id === undefined) !== (query.conversation_id === undefined),
    { path: ["channel_account_id"], error: "Name either a channel or a conversation." },
  );
export type TemplateListQuery = z.output<typeof templateListQuery>;

const placeholderView = z.strictObject({
  place: z.enum(templatePlaces),
  key: z.string().describe("Number or name of the value in its part."),
  kind: z.enum(templateValueKinds),
  required: z.boolean(),
  example: z.string().nullable(),
});

/** A template with its texts. `{{1}}` or `{{name}}` stand for values. */
export const templateView = z.strictObject({
  id: recordId,
  name: z.string(),
  language: z.string(),
  category: z.string(),
  status: z.string().describe("Meta's word in lowercase. Only `approved` can be sent."),
  quality: z.string().nullable(),
  rejected_reason: z.string().nullable(),
  usable: z.boolean().describe("Approved, and every part can be filled in here."),
  unsupported: z.string().nullable().describe("The part that cannot be filled in here."),
  header: z
    .strictObject({
      kind: z.enum(["text", "image", "video", "document", "location"]),
      text: z.string().nullable(),
    })
    .nullable(),
  body: z.string(),
  footer: z.string().nullable(),
  buttons: z.array(z.strictObject({ text: z.string(), url: z.string().nullable() })),
  placeholders: z.array(placeholderView),
  synced_at: timestamp.describe("The newest read of the list that had the template."),
});
export type TemplateView = z.output<typeof templateView>;

/** Query of the list of templates of API v1. */
export const templateDirectoryQuery = z.object({
  channel_account_id: idParameter.optional().describe("Templates that this number can send."),
  status: z
    .string()
    .regex(/^[a-z_]{1,32}$/u, "Use a word of Meta in lowercase, such as approved.")
    .optional()
    .describe("Templates in this status, such as `approved`."),
  ...pageParameters,
});
export type TemplateDirectoryQuery = z.output<typeof templateDirectoryQuery>;

/** A template for programs: the texts, the values, and the numbers that can send it. */
export const templateEntry = templateView.omit({ quality: true, rejected_reason: true }).extend({
  channel_account_ids: z.array(recordId).describe("Numbers whose conversations can use it."),
});
export type TemplateEntry = z.output<typeof templateEntry>;

/** States of the list of a channel. `none`: the channel has no list, as the sandbox. */
export const templateListStates = ["none", "reading", "read", "failed"] as const;

/** State of the reads of a list. */
export const templateSyncView = z.strictObject({
  state: z.enum(templateListStates),
  synced_at: timestamp.nullable().describe("Beginning of the newest read of the whole list."),
  failure: z.string().nullable().describe("Reason why the newest read failed."),
});
export type TemplateSyncView = z.output<typeof templateSyncView>;

/** `meta` of the list of templates. */
export const templateListMeta = pageMeta.extend({ sync: templateSyncView });
