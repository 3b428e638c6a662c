import type { Stretch } from "./stretches.ts";

/** Where something stands beside what it overlaps: the lane from the left, of how many. */
export interface Lane {
  lane: number;
  lanes: number;
}

/** Puts what overlaps side by side, in as few lanes as will do. */
export function withLanes<One extends Stretch>(stretches: One[]): (One & Lane)[] {
  const ordered = stretches.toSorted((one, other) => one.from - other.from || other.to - one.to);
  const groups: (One & { lane: number })[][] = [];
  let ends: number[] = [];
  for (const one of ordered) {
    const apart = ends.every((end) => end <= one.from);
    if (apart) ends = [];
    const free = ends.findIndex((end) => end <= one.from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = one.to;
    if (apart) groups.push([]);
    groups.at(-1)?.push({ ...one, lane });
  }
  return groups.flatMap((group) => {
    const lanes = Math.max(...group.map(({ lane }) => lane)) + 1;
    return group.map((one) => ({ ...one, lanes }));
  });
}
