import { z } from "zod";
import { tagInput } from "./contact.ts";
import { toWellFormed } from "./wire.ts";

/** How many filters a person keeps in an account. Our choice. */
export const maxContactFilters = 20;

/** What a kept filter is called. */
export const filterNameInput = z.string().trim().min(1).max(60).overwrite(toWellFormed);

/** A filter of the contact list that a person keeps under a name; one of its two members is there at least. */
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
