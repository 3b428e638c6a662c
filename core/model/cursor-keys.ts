/** The last moment that MySQL can store, in milliseconds. */
const latestMs = Date.UTC(10_000, 0, 1) - 1;

/**
 * Keys of a cursor in a query: moments in milliseconds, then an id, with `_` between them.
 * @param moments number of the moments
 * @returns null for any other text, also for a moment that MySQL cannot store
 */
export function parseCursorKeys(text: string, moments: number): number[] | null {
  if (!/^\d{1,15}(?:_\d{1,15})*$/u.test(text)) return null;
  const keys = text.split("_").map(Number);
  const isCursor =
    keys.length === moments + 1 && keys.every((key, index) => index === moments || key <= latestMs);
  return isCursor ? keys : null;
}
