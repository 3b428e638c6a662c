import { z } from "zod";
import { restChannel } from "./channels.ts";
import { tagInput } from "./contact.ts";
import { inboxOrders, inboxViews } from "./inbox-queue.ts";
import { recordId, timestamp, toWellFormed } from "./wire.ts";

/** Maximum number of saved views that a person owns in an account. */
export const maxSavedViews = 50;

/** Filters that a saved view adds to its view. A search is not saved. */
export const savedViewFilter = z.strictObject({
  channel: restChannel.optional(),
  assigned_to: z
    .union([z.literal("me"), z.literal("nobody"), recordId])
    .optional()
    .describe("`me` is whoever looks."),
  stage_id: recordId.optional(),
  tag: tagInput.optional(),
});
export type SavedViewFilter = z.output<typeof savedViewFilter>;

const fields = {
  name: z.string().trim().min(1).max(60).overwrite(toWellFormed),
  view: z.enum(inboxViews),
  filter: savedViewFilter,
  order: z.enum(inboxOrders),
  shared: z.boolean().describe("Every member of the account sees it."),
};

/** Body of a new saved view. */
export const savedViewBody = z.strictObject({
  ...fields,
  filter: fields.filter.default({}),
  order: fields.order.default("queue"),
  shared: fields.shared.default(false),
});
export type SavedViewBody = z.output<typeof savedViewBody>;

/** Body of a change of a saved view. Absent fields stay as they are. */
export const savedViewPatch = z.strictObject(fields).partial();
export type SavedViewPatch = z.output<typeof savedViewPatch>;

/** A saved view of the inbox. */
export const savedView = z.strictObject({
  id: recordId,
  ...fields,
  user_id: recordId.describe("The member who owns it."),
  created_at: timestamp,
  updated_at: timestamp,
});
export type SavedView = z.output<typeof savedView>;
