/**
 * @param pages paths such as `/pricing` or `/blog/*`; empty: every page
 * @returns true where the path is one of them
 */
export function isOnPage(path: string, pages: readonly string[]): boolean {
  if (pages.length === 0) return true;
  return pages.some((one) =>
    one.endsWith("*") ? path.startsWith(one.slice(0, -1)) : one === path,
  );
}
