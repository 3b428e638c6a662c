import type { Listed, ListMeta, LogMeta } from "./api.ts";

/** True where a list has no row at all, for its filter. The total may be 0 because its count took too long. */
export function isEmptyList({ data, meta }: Listed<unknown, ListMeta>): boolean {
  return data.length === 0 && meta.offset === 0;
}

/**
 * True where a log has no row at all, for its filter. An old page may have none any more, and a rare
 * filter finds none in the rows that one page looks through.
 * @param beforeId the row that the page begins behind; null on the newest page.
 */
export function isEmptyLog(
  { data, meta }: Listed<unknown, LogMeta>,
  beforeId: number | null,
): boolean {
  return data.length === 0 && beforeId === null && meta.next_before_id === null;
}
