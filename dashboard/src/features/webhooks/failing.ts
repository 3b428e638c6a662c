import type { SubscriptionStats } from "./api.ts";

/** Fewer failures are not yet an outage. */
const fewestFailures = 3;

/** True where all attempts of the newest hours failed, counted back until three failures. */
export function isFailing(stats: SubscriptionStats | undefined): boolean {
  let failures = 0;
  for (const { attempts, failed } of stats?.hours.toReversed() ?? []) {
    if (failed < attempts) return false;
    failures += failed;
    if (failures >= fewestFailures) return true;
  }
  return false;
}
