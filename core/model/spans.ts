/** A span of time in ms since 1970, half open: `end` is not part of it. */
export interface Span {
  start: number;
  end: number;
}

/** The spans in order. Overlapping and touching spans are joined, and empty spans are dropped. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  const ordered = spans
    .filter(({ start, end }) => start < end)
    .toSorted((one, other) => one.start - other.start);
  for (const { start, end } of ordered) {
    const last = merged.at(-1);
    if (last === undefined || last.end < start) merged.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return merged;
}

/** The parts of `spans` outside all `holes`. Both lists are as `mergeSpans` returns them. */
export function subtractSpans(spans: readonly Span[], holes: readonly Span[]): Span[] {
  const nextHole = walkSpans(holes);
  return spans.flatMap((span) => {
    const left: Span[] = [];
    let start = span.start;
    while (start < span.end) {
      const hole = nextHole(start);
      const end = Math.min(hole?.start ?? span.end, span.end);
      if (start < end) left.push({ start, end });
      start = Math.min(hole?.end ?? span.end, span.end);
    }
    return left;
  });
}

/**
 * Finds the first span that ends after a moment. The span may begin after the moment too. All
 * moments together cost one pass, so no moment may be before the previous moment.
 * @param spans as `mergeSpans` returns them.
 */
export function walkSpans(spans: readonly Span[]): (moment: number) => Span | undefined {
  let index = 0;
  return (moment) => {
    while ((spans[index]?.end ?? Infinity) <= moment) index += 1;
    return spans[index];
  };
}
