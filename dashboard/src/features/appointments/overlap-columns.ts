import type { TimeRange } from "./time-ranges.ts";

/** Column of an appointment among overlapping ones, from the left, and the number of columns. */
export interface OverlapColumn {
  column: number;
  columns: number;
}

/** Puts overlapping ranges side by side, in as few columns as possible. */
export function withColumns<One extends TimeRange>(stretches: One[]): (One & OverlapColumn)[] {
  const ordered = stretches.toSorted((one, other) => one.from - other.from || other.to - one.to);
  const groups: (One & { column: number })[][] = [];
  let ends: number[] = [];
  for (const one of ordered) {
    const apart = ends.every((end) => end <= one.from);
    if (apart) ends = [];
    const free = ends.findIndex((end) => end <= one.from);
    const column = free === -1 ? ends.length : free;
    ends[column] = one.to;
    if (apart) groups.push([]);
    groups.at(-1)?.push({ ...one, column });
  }
  return groups.flatMap((group) => {
    const columns = Math.max(...group.map(({ column }) => column)) + 1;
    return group.map((one) => ({ ...one, columns }));
  });
}
