import { parseCursorKeys } from "./cursor-keys.ts";
import { cursorInQuery } from "./wire.ts";

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
export const contactCursorInQuery = cursorInQuery((text): ContactCursor | null => {
  const [at, id] = parseCursorKeys(text, 1) ?? [];
  return at === undefined || id === undefined ? null : { at, id };
});
