import { z } from "zod";

/**
 * Orders of the contact list by last activity. `active` has the latest activity first, `quiet` the
 * earliest.
 */
export const contactOrders = ["active", "quiet"] as const;
export type ContactOrder = (typeof contactOrders)[number];

/** Position of the last contact on a page: its last activity in milliseconds, and its id. */
export interface ContactCursor {
  at: number;
  id: number;
}

/** A cursor as it stands in `meta` and in queries. */
export function presentContactCursor({ at, id }: ContactCursor): string {
  return `${at}_${id}`;
}

/** `next` of the page before, in a query. */
export const contactCursorInQuery = z
  .string("Send this parameter once.")
  .regex(/^\d{1,15}_\d{1,15}$/, "Use `next` of the page before.")
  .transform((text): ContactCursor => {
    const [at, id] = text.split("_").map(Number);
    return { at: at ?? 0, id: id ?? 0 };
  });
