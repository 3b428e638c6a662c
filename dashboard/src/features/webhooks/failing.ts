import type { SubscriptionStats } from "./api.ts";

/** True where every attempt of the newest hour that has any has failed. */
export function isFailing(stats: SubscriptionStats | undefined): boolean {
  const newest = stats?.hours.findLast(({ attempts }) => attempts > 0);
  return newest !== undefined && newest.failed === newest.attempts;
}
