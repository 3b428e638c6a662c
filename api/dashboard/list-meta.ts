import type { LogPage, Page, PageBounds } from "../../core/model/page.ts";

/** The `meta` of a page of a list. */
export function pageMetaOf({ total, totalAtLeast }: Page<unknown>, { limit, offset }: PageBounds) {
  return { total, total_at_least: totalAtLeast, limit, offset };
}

/** The `meta` of a page of a log. */
export function logMetaOf<Key>(
  { total, totalAtLeast, next }: LogPage<unknown, Key>,
  { limit }: { limit: number },
) {
  return { total, total_at_least: totalAtLeast, limit, next };
}
