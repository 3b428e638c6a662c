import type { LaneQuota } from "../core/services/outbox-claims.ts";

/** The lane of what is no delivery: people wait for it, and no receiver's host is asked. */
const requestLane = "-";

/** The host that a lane leads to: a lane is `<account>:<host>`, the host empty where none is asked. */
export function hostOf(lane: string): string {
  return lane.slice(lane.indexOf(":") + 1);
}

/** Whether the rows of a lane ask a receiver, and not Temporal alone. */
export function leadsToHost(lane: string): boolean {
  return lane !== requestLane && hostOf(lane) !== "";
}

/** How many rows to take in one look. */
export interface Most {
  deliveries: number;
  requests: number;
}

/**
 * How many rows of each due lane to take in one look: requests first, the rest shared among accounts
 * and within an account among hosts, never more than a host has room for. So neither a host that
 * hangs nor an account with a long backlog delays another's rows.
 */
export function shareOut(
  lanes: readonly string[],
  room: (host: string) => number,
  { deliveries: most, requests: mostRequests }: Most,
): LaneQuota[] {
  const quotas = new Map<string, number>();
  const left = new Map(lanes.map((lane) => [hostOf(lane), room(hostOf(lane))]));
  const accounts = groupByAccount(lanes.filter((lane) => lane !== requestLane));
  for (let taken = 0; taken < most;) {
    const before = taken;
    for (const queue of accounts) {
      const lane = nextOpen(queue, left);
      if (lane === null || taken === most) continue;
      quotas.set(lane, (quotas.get(lane) ?? 0) + 1);
      taken += 1;
    }
    if (taken === before) break;
  }
  const asksRequests = mostRequests > 0 && lanes.includes(requestLane);
  const requests = asksRequests ? [{ lane: requestLane, limit: mostRequests }] : [];
  return [...requests, ...[...quotas].map(([lane, limit]) => ({ lane, limit }))];
}

/** The account's next lane whose host has room, which then goes to the end of the queue. */
function nextOpen(queue: string[], left: Map<string, number>): string | null {
  for (let lane = queue.shift(); lane !== undefined; lane = queue.shift()) {
    const room = left.get(hostOf(lane)) ?? 0;
    if (room === 0) continue;
    left.set(hostOf(lane), room - 1);
    queue.push(lane);
    return lane;
  }
  return null;
}

function groupByAccount(lanes: string[]): string[][] {
  const accounts = new Map<string, string[]>();
  for (const lane of lanes) {
    const account = lane.slice(0, lane.indexOf(":"));
    accounts.set(account, [...(accounts.get(account) ?? []), lane]);
  }
  return [...accounts.values()];
}

/** Whether a look took all that it might, so that there may be more to take at once. */
export function isUsedUp(
  quotas: readonly LaneQuota[],
  taken: readonly { lane: string }[],
): boolean {
  return quotas.some(
    ({ lane, limit }) => taken.filter((row) => row.lane === lane).length === limit,
  );
}
