import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { replayView } from "../../../../core/model/views/dashboard.ts";
import type { ReplayableState } from "../../../../core/model/replay.ts";
import { callApi, callForData, queryString, type Listed } from "../../lib/api.ts";

/** Many deliveries of a subscription sent again, and how far that has come. */
export type Replay = z.output<typeof replayView>;

/** What a replay covers; without a moment, deliveries of any age. */
export interface ReplayWish {
  since?: string;
  states: ReplayableState[];
}

const key = ["replays"];
/** The stream does not tell how far a replay has come. */
const runningMs = 1_000;

/** A replay; one that runs is followed. */
export function replayQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async () => await callForData<Replay>("GET", `/replays/${id}`),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? runningMs : false),
  });
}

/** The replay of a subscription that is under way or paused; null where none is. */
export function openReplayQuery(subscriptionId: number) {
  const path = `/subscriptions/${subscriptionId}/replays${queryString({ limit: 20 })}`;
  return queryOptions({
    queryKey: [...key, "open", subscriptionId],
    queryFn: async () => {
      const { data } = await callApi<Listed<Replay>>("GET", path);
      return data.find(({ state }) => state === "running" || state === "paused") ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.state === "running" ? runningMs : false),
  });
}

/** Counts what a replay would cover; nothing is sent. */
export function useDraftReplay(subscriptionId: number) {
  return useMutation({
    mutationFn: async (wish: ReplayWish) =>
      await callForData<Replay>("POST", `/subscriptions/${subscriptionId}/replays`, wish),
  });
}

/** Starts, pauses, resumes or cancels a replay. */
export function useReplayStep(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (step: "start" | "pause" | "resume" | "cancel") =>
      await callForData<Replay>("POST", `/replays/${id}/${step}`),
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: ["deliveries"] }),
      ]),
  });
}
