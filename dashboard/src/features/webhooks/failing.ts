import type { SubscriptionStats } from "./api.ts";

/** Fewer failures than this are no outage. Our choice. */
const fewestFailures = 3;

/** True where the newest hours that have three attempts together have nothing but failures. */
export function isFailing(stats: SubscriptionStats | undefined): boolean {
  let failures = 0;
  for (const { attempts, failed } of stats?.hours.toReversed() ?? []) {
    if (failed < attempts) return false;
    failures += failed;
    if (failures >= fewestFailures) return true;
  }
  return false;
}
