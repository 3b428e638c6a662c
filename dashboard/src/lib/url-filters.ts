import { useSearchParams } from "react-router";

/** Parameters that page a list or a log. */
const pageNames = ["offset", "before", "cursor"];

type SetFilter = (name: string, value: string | null, how?: { replace: boolean }) => void;

/**
 * Filters and page of a list. The URL keeps them, so that a view can be shared and the Back button
 * works. A change of a filter returns to the first page.
 * @param beside further names, beside those of the page, that are no filters
 */
export function useUrlFilters(beside: string[] = []): [URLSearchParams, SetFilter] {
  const [params, setParams] = useSearchParams();
  const set: SetFilter = (name, value, how = { replace: false }) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (value === null || value === "") next.delete(name);
      else next.set(name, value);
      if (!pageNames.includes(name) && !beside.includes(name)) {
        for (const page of pageNames) next.delete(page);
      }
      return next;
    }, how);
  return [params, set];
}

/** The row that the page of a log begins behind; null on the newest page. */
export function beforeIn(params: URLSearchParams): number | null {
  const before = Number(params.get("before"));
  return Number.isSafeInteger(before) && before > 0 ? before : null;
}

/** Offset of the page of a list; 0 unless the URL has one. */
export function offsetIn(params: URLSearchParams): number {
  const offset = Number(params.get("offset"));
  return Number.isSafeInteger(offset) ? Math.max(0, offset) : 0;
}
