import { z } from "zod";
import { tagInput } from "./contact.ts";
import { toWellFormed } from "./wire.ts";

/** Maximum number of filters that a person keeps in an account. */
export const maxContactFilters = 20;

/** Name of a kept filter, 1 to 60 characters. */
export const filterNameInput = z.string().trim().min(1).max(60).overwrite(toWellFormed);

/**
 * A filter of the contact list that a person keeps under a name. It has a search, a tag or both.
 */
export const contactFilter = z
  .strictObject({
    name: filterNameInput,
    search: z.string().trim().min(1).max(100).overwrite(toWellFormed).optional(),
    tag: tagInput.optional(),
  })
  .refine(
    ({ search, tag }) => search !== undefined || tag !== undefined,
    "Keep a search, a tag or both.",
  );
export type ContactFilter = z.output<typeof contactFilter>;
