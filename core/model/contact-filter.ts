import { z } from "zod";
import { restChannel } from "./channels.ts";
import { tagInput } from "./contact.ts";
import { maxSearchLength, recordId, toWellFormed } from "./wire.ts";

/** Maximum number of filters that a person keeps in an account. */
export const maxContactFilters = 20;

/** Name of a kept filter, 1 to 60 characters. */
export const filterNameInput = z.string().trim().min(1).max(60).overwrite(toWellFormed);

const conditions = ["search", "tag", "stage_id", "channel", "assigned_to"] as const;

/**
 * A filter of the contact list that a person keeps under a name. It has at least one condition.
 */
export const contactFilter = z
  .strictObject({
    name: filterNameInput,
    search: z.string().trim().min(1).max(maxSearchLength).overwrite(toWellFormed).optional(),
    tag: tagInput.optional(),
    stage_id: recordId.optional(),
    channel: restChannel.optional(),
    assigned_to: z.union([z.literal("me"), z.literal("nobody"), recordId]).optional(),
  })
  .refine(
    (filter) => conditions.some((condition) => filter[condition] !== undefined),
    "Keep at least one condition.",
  );
export type ContactFilter = z.output<typeof contactFilter>;
