import { z } from "zod";
import { maxBulk } from "./inbox-queue.ts";
import { tagInput } from "./contact.ts";
import { recordId } from "./wire.ts";

/** An action on each of several contacts. */
export const contactAction = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("add_tag"), tag: tagInput }),
  z.strictObject({ type: z.literal("remove_tag"), tag: tagInput }),
  z.strictObject({ type: z.literal("stage"), stage_id: recordId }),
  z.strictObject({ type: z.literal("assign"), user_id: recordId.nullable() }),
]);
export type ContactAction = z.output<typeof contactAction>;

const ids = z
  .array(recordId)
  .min(1, "Name at least one contact.")
  .max(maxBulk, `Name at most ${maxBulk} contacts.`)
  .transform((all) => [...new Set(all)]);

/** Body of a bulk request. A repeated id counts once. */
export const contactBulkBody = z.strictObject({ ids, action: contactAction });

/** Body of an erasure of several contacts. */
export const contactBulkEraseBody = z.strictObject({ ids });
