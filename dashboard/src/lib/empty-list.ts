import type { Listed, ListMeta, LogMeta } from "./api.ts";

/**
 * @returns true where a list has no row for its filter. A total of 0 proves nothing: it is also 0
 * where the count took too long.
 */
export function isEmptyList({ data, meta }: Listed<unknown, ListMeta>): boolean {
  return data.length === 0 && meta.offset === 0;
}

/**
 * @returns true where a log has no row for its filter. An empty page proves nothing: an old page
 * may have lost its rows. A rare filter may match none of the rows that one page scans. @param
 * beforeId the row that the page begins behind; null on the newest page.
 */
export function isEmptyLog(
  { data, meta }: Listed<unknown, LogMeta>,
  beforeId: number | null,
): boolean {
  return data.length === 0 && beforeId === null && meta.next === null;
}
