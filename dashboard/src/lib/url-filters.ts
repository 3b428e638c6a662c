import { useSearchParams } from "react-router";

/** A list goes by `offset`, a log by `before`. */
const pageNames = ["offset", "before"];

type SetFilter = (name: string, value: string | null, how?: { replace: boolean }) => void;

/**
 * What a list is narrowed to and which page of it is shown, kept in the URL: it can be shared and gone
 * back to. Another filter begins at the first page again.
 * @param beside names that are no filters, beside those of the page.
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

/** Where the page of a list begins. */
export function offsetIn(params: URLSearchParams): number {
  const offset = Number(params.get("offset"));
  return Number.isSafeInteger(offset) ? Math.max(0, offset) : 0;
}
