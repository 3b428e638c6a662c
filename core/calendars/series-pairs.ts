import { isSameTime } from "../model/appointment.ts";

/** An instance of a series that left a calendar, or appeared there, during one reading. */
export interface SeriesInstance {
  eventId: string;
  seriesId: string;
  /** Names the customer, equal for equal customers. */
  customer: string;
  startTime: Date;
  endTime: Date;
}

/** Result of the comparison of vanished and new instances. */
export interface SeriesPairs<Old, New> {
  /** The same appointment under two ids. */
  pairs: { from: Old; to: New }[];
  vanished: Old[];
  appeared: New[];
}

/**
 * Finds the instances that only changed their id. A new time of a series, or a change of "this and
 * following", gives new ids. Instances pair by series and customer: first those at the same time,
 * then the others in their order.
 */
export function pairInstances<Old extends SeriesInstance, New extends SeriesInstance>(
  vanished: readonly Old[],
  appeared: readonly New[],
): SeriesPairs<Old, New> {
  const result: SeriesPairs<Old, New> = { pairs: [], vanished: [], appeared: [] };
  const olds = groupBySeries(vanished);
  const news = groupBySeries(appeared);
  for (const [key, group] of olds) {
    const candidates = news.get(key) ?? [];
    news.delete(key);
    pairGroup(group, candidates, result);
  }
  result.appeared.push(...[...news.values()].flat());
  return result;
}

function pairGroup<Old extends SeriesInstance, New extends SeriesInstance>(
  olds: Old[],
  news: New[],
  result: SeriesPairs<Old, New>,
): void {
  const left = [...news];
  const rest: Old[] = [];
  for (const old of olds) {
    const at = left.findIndex((one) => isSameTime(one, old));
    const [same] = at === -1 ? [] : left.splice(at, 1);
    if (same === undefined) rest.push(old);
    else result.pairs.push({ from: old, to: same });
  }
  for (const [index, old] of rest.entries()) {
    const to = left[index];
    if (to === undefined) result.vanished.push(old);
    else result.pairs.push({ from: old, to });
  }
  result.appeared.push(...left.slice(rest.length));
}

function groupBySeries<One extends SeriesInstance>(all: readonly One[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())) {
    const key = `${one.seriesId}\n${one.customer}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}
