import { useTimeout } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { channelsQuery } from "../features/channels/api.ts";
import { isFailing } from "../features/webhooks/failing.ts";
import { allStatsQuery } from "../features/webhooks/api.ts";
import { callApi } from "../lib/api.ts";
import { viewCountsQuery } from "../lib/inbox-queue.ts";
import { liveKeys } from "../lib/live-changes.ts";
import { useSession } from "../lib/session.ts";
import { useNow } from "../lib/time.ts";
import { addDays, momentAt, wallTime } from "../lib/zoned-time.ts";

/** Figures beside the links of the sidebar. */
export interface Counts {
  /** Conversations that need an answer, at most 1,000. */
  needsAnswer: number;
  /** True where a subscription's receiver fails. */
  isWebhookFailing: boolean;
  /** True where a channel needs somebody. Admins alone are told. */
  isChannelFailing: boolean;
  /** Appointments of the present day in the account's time zone, without cancelled ones. */
  today: number;
}

/** The opened page loads before the figures around it. */
const afterPageMs = 1_000;
/** Refetch interval in ms of the receivers' health. */
const healthMs = 60_000;

function todayQuery(date: string, zone: string) {
  const midnight = (day: string) => momentAt({ date: day, minutes: 0 }, zone);
  const range = { from: midnight(date), to: midnight(addDays(date, 1)) };
  return queryOptions({
    queryKey: [...liveKeys.appointments, "today", range],
    queryFn: async () =>
      await callApi("GET /appointments", { query: { ...range, takes_place: "true", limit: 1 } }),
  });
}

/** Live figures of the sidebar. */
export function useCounts(): Counts {
  const [isDue, setDue] = useState(false);
  useTimeout(() => setDue(true), afterPageMs, { autoInvoke: true });
  const { role, account } = useSession();
  const { time_zone: zone } = account;
  const { date } = wallTime(new Date(useNow(60_000)).toISOString(), zone);
  const appointments = useQuery({ ...todayQuery(date, zone), enabled: isDue });
  const counts = useQuery({ ...viewCountsQuery, enabled: isDue });
  const stats = useQuery({ ...allStatsQuery(), refetchInterval: healthMs, enabled: isDue });
  const channels = useQuery({
    ...channelsQuery,
    refetchInterval: healthMs,
    enabled: isDue && role === "admin",
  });
  return {
    needsAnswer: counts.data?.views.needs_answer.total ?? 0,
    isWebhookFailing: stats.data?.some((one) => isFailing(one)) ?? false,
    isChannelFailing:
      channels.data?.some(({ state }) => state === "degraded" || state === "needs_reauth") ?? false,
    today: appointments.data?.meta.total ?? 0,
  };
}
