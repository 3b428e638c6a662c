import type { SubscriptionStats } from "./api.ts";

/** True where the newest five finished attempts all failed. False until the stats are loaded. */
export function isFailing(stats: SubscriptionStats | undefined): boolean {
  return stats?.failing === true;
}
