import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { replayView } from "../../../../core/model/views/dashboard.ts";
import type { ReplayableState } from "../../../../core/model/replay.ts";
import { callApi } from "../../lib/api.ts";

/** A replay of many deliveries of a subscription, with its progress. */
export type Replay = z.output<typeof replayView>;

/** Deliveries to replay. Without `since`, deliveries of any age. */
export interface ReplayWish {
  since?: string;
  states: ReplayableState[];
}

const key = ["replays"];
/** Refetch interval in ms. The progress of a replay sends no change events. */
const runningMs = 1_000;

/** A replay, refetched while it is running. */
export function replayQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async () => await callApi("GET /replays/:id", { id }),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? runningMs : false),
  });
}

/** The running or paused replay of a subscription; null where there is none. */
export function openReplayQuery(subscriptionId: number) {
  return queryOptions({
    queryKey: [...key, "open", subscriptionId],
    queryFn: async () => {
      const input = { id: subscriptionId, query: { limit: 20 } };
      const { data } = await callApi("GET /subscriptions/:id/replays", input);
      return data.find(({ state }) => state === "running" || state === "paused") ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.state === "running" ? runningMs : false),
  });
}

/** Counts the deliveries of a replay without sending any. */
export function useDraftReplay(subscriptionId: number) {
  return useMutation({
    mutationFn: async (wish: ReplayWish) =>
      await callApi("POST /subscriptions/:id/replays", { id: subscriptionId, body: wish }),
  });
}

/** Starts, pauses, resumes or cancels a replay. */
export function useReplayStep(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (step: "start" | "pause" | "resume" | "cancel") =>
      await callApi(`POST /replays/:id/${step}`, { id }),
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: ["deliveries"] }),
      ]),
  });
}
