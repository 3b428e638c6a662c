import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  subscriptionStatsView,
  subscriptionView,
} from "../../../../core/model/views/dashboard.ts";
import type { EventChannel } from "../../../../core/model/channels.ts";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** A subscription, without its secret. */
export type Subscription = z.output<typeof subscriptionView>;

/** Answers of a subscription's receiver in the last 24 hours. */
export type SubscriptionStats = z.output<typeof subscriptionStatsView>;

/** Fields that create or change a subscription. */
export interface SubscriptionInput {
  name?: string;
  url: string;
  events: string[];
  channels: EventChannel[] | null;
  auto_disable: boolean;
  max_concurrency: number | null;
}

const key = liveKeys.subscriptions;
/**
 * Refetch interval in ms. Attempts that succeed at once send no change events, and most attempts
 * do.
 */
const untoldMs = 15_000;

/** A page of the account's subscriptions, newest first. */
export function subscriptionsQuery(offset: number) {
  return queryOptions({
    queryKey: [...key, "list", offset],
    queryFn: async () => await callApi("GET /subscriptions", { query: { limit: 50, offset } }),
    placeholderData: keepPreviousData,
    refetchInterval: untoldMs,
  });
}

/** One subscription. */
export function subscriptionQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async () => await callApi("GET /subscriptions/:id", { id }),
    refetchInterval: untoldMs,
  });
}

/** The stats of every subscription of the account. */
export function allStatsQuery() {
  return queryOptions({
    queryKey: [...key, "stats"],
    queryFn: async () => await callApi("GET /subscriptions/stats"),
    refetchInterval: untoldMs,
  });
}

/** The stats of one subscription. */
export function statsQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id, "stats"],
    queryFn: async () => await callApi("GET /subscriptions/:id/stats", { id }),
    refetchInterval: untoldMs,
  });
}

/** Sample POST of each event type, signed with the subscription's present secret. */
export function samplesQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id, "samples"],
    queryFn: async () => await callApi("GET /subscriptions/:id/samples", { id }),
  });
}

/** Adds a subscription. Only the answer contains the secret. */
export function useAddSubscription() {
  return useSubscriptionMutation(
    async (body: SubscriptionInput) => await callApi("POST /subscriptions", { body }),
  );
}

/** Changes, disables or enables a subscription. */
export function useChangeSubscription(id: number) {
  return useSubscriptionMutation(
    async (body: Partial<SubscriptionInput> & { state?: "active" | "disabled" }) =>
      await callApi("PATCH /subscriptions/:id", { id, body }),
  );
}

/** Pauses or resumes a subscription. */
export function usePauseOrResume(id: number) {
  return useSubscriptionMutation(
    async (step: "pause" | "resume") => await callApi(`POST /subscriptions/:id/${step}`, { id }),
  );
}

/** Pauses an active subscription. Any other one becomes active. */
export function useSwitchSubscription({ id, state }: Subscription) {
  return useSubscriptionMutation(async () => {
    if (state === "disabled") {
      return await callApi("PATCH /subscriptions/:id", { id, body: { state: "active" } });
    }
    const step = state === "active" ? "pause" : "resume";
    return await callApi(`POST /subscriptions/:id/${step}`, { id });
  });
}

/** Sends `test.ping` to the subscription. @returns the id of the delivery */
export function useSendTest(id: number) {
  return useSubscriptionMutation(
    async () => (await callApi("POST /subscriptions/:id/test", { id })).delivery_id,
  );
}

/** Gives the subscription a new secret. Only the answer contains the secret. */
export function useRotateSecret(id: number) {
  return useSubscriptionMutation(
    async () => (await callApi("POST /subscriptions/:id/rotate-secret", { id })).secret,
  );
}

/** Deletes the subscription; its log stays. */
export function useDeleteSubscription(id: number) {
  return useSubscriptionMutation(async () => await callApi("DELETE /subscriptions/:id", { id }));
}

function useSubscriptionMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () =>
      await Promise.all([
        client.invalidateQueries({ queryKey: key }),
        client.invalidateQueries({ queryKey: ["deliveries"] }),
      ]),
  });
}
