/** Characters to insert, delete or replace until one text is the other (Levenshtein). */
export function editDistance(one: string, other: string): number {
  const [short, long] = trimCommon(one, other);
  let row = Uint16Array.from({ length: short.length + 1 }, (_, index) => index);
  for (const [index, character] of long.entries()) {
    const next = new Uint16Array(short.length + 1);
    next[0] = index + 1;
    for (let at = 1; at <= short.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (short[at - 1] === character ? 0 : 1);
      next[at] = Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[short.length] ?? 0;
}

/** The characters of both texts without their common beginning and end; the shorter one first. */
function trimCommon(one: string, other: string): [string[], string[]] {
  const [short, long] = [Array.from(one), Array.from(other)].toSorted(
    (a, b) => a.length - b.length,
  ) as [string[], string[]];
  let start = 0;
  while (start < short.length && short[start] === long[start]) start += 1;
  let end = 0;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  return [short.slice(start, short.length - end), long.slice(start, long.length - end)];
}
