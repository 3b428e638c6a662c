import { z } from "zod";
import { tagInput } from "./contact.ts";
import { maxBulk } from "./inbox-queue.ts";
import { momentInput, recordId } from "./wire.ts";

/** An action on each of several conversations. */
export const bulkAction = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("assign"), user_id: recordId.nullable() }),
  z.strictObject({ type: z.literal("resolve") }),
  z.strictObject({ type: z.literal("reopen") }),
  z.strictObject({ type: z.literal("snooze"), until: momentInput }),
  z.strictObject({ type: z.literal("read") }),
  z.strictObject({ type: z.literal("unread") }),
  z.strictObject({ type: z.literal("tag"), tag: tagInput }),
  z.strictObject({ type: z.literal("stage"), stage_id: recordId }),
]);
export type BulkAction = z.output<typeof bulkAction>;

/** Body of a bulk request. A repeated id counts once. */
export const bulkBody = z.strictObject({
  ids: z
    .array(recordId)
    .min(1, "Name at least one conversation.")
    .max(maxBulk, `Name at most ${maxBulk} conversations.`)
    .transform((ids) => [...new Set(ids)]),
  action: bulkAction,
});

/** Result of a bulk request for one conversation. */
export const bulkResult = z.strictObject({
  id: recordId,
  result: z.enum(["done", "unchanged", "error"]),
  code: z.string().nullable().describe("Code of the error; null without one."),
});
export type BulkResult = z.output<typeof bulkResult>;
