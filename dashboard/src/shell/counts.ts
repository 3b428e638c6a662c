import { useTimeout } from "@mantine/hooks";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isFailing } from "../features/webhooks/failing.ts";
import { allStatsQuery } from "../features/webhooks/api.ts";
import { callApi } from "../lib/api.ts";
import { liveKeys } from "../lib/live-changes.ts";

/** Figures beside the links of the sidebar. */
export interface Counts {
  /** Conversations that wait for a person. */
  waiting: number;
  /** True where a subscription's receiver fails. */
  isWebhookFailing: boolean;
}

/** The opened page loads before the figures around it. */
const afterPageMs = 1_000;
/** Refetch interval in ms of the receivers' health. */
const healthMs = 60_000;

const waitingQuery = queryOptions({
  queryKey: [...liveKeys.conversationLists, "waiting"],
  queryFn: async () => await callApi("GET /conversations", { query: waiting }),
});
const waiting = { answered: "false", limit: 1 } as const;

/** Live figures of the sidebar. */
export function useCounts(): Counts {
  const [isDue, setDue] = useState(false);
  useTimeout(() => setDue(true), afterPageMs, { autoInvoke: true });
  const conversations = useQuery({ ...waitingQuery, enabled: isDue });
  const stats = useQuery({ ...allStatsQuery(), refetchInterval: healthMs, enabled: isDue });
  return {
    waiting: conversations.data?.meta.total ?? 0,
    isWebhookFailing: stats.data?.some((one) => isFailing(one)) ?? false,
  };
}
