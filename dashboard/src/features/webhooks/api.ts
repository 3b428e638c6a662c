import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  signedSampleView,
  subscriptionStatsView,
  subscriptionView,
  subscriptionWithSecret,
} from "../../../../core/model/views/dashboard.ts";
import type { EventChannel } from "../../../../core/model/channels.ts";
import { callApi, callForData, queryString, type Listed } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** A subscription, without its secret. */
export type Subscription = z.output<typeof subscriptionView>;

/** Answers of a subscription's receiver in the last 24 hours. */
export type SubscriptionStats = z.output<typeof subscriptionStatsView>;

/** Sample POST of one event type, signed with the subscription's secret. */
type SignedSample = z.output<typeof signedSampleView>;

/** Fields that create or change a subscription. */
export interface SubscriptionInput {
  name?: string;
  url: string;
  events: string[];
  channels: EventChannel[] | null;
  auto_disable: boolean;
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
    queryFn: async () =>
      await callApi<Listed<Subscription>>(
        "GET",
        `/subscriptions${queryString({ limit: 50, offset })}`,
      ),
    placeholderData: keepPreviousData,
    refetchInterval: untoldMs,
  });
}

/** One subscription. */
export function subscriptionQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async () => await callForData<Subscription>("GET", `/subscriptions/${id}`),
    refetchInterval: untoldMs,
  });
}

/** The stats of every subscription of the account. */
export function allStatsQuery() {
  return queryOptions({
    queryKey: [...key, "stats"],
    queryFn: async () => await callForData<SubscriptionStats[]>("GET", "/subscriptions/stats"),
    refetchInterval: untoldMs,
  });
}

/** The stats of one subscription. */
export function statsQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id, "stats"],
    queryFn: async () => await callForData<SubscriptionStats>("GET", `/subscriptions/${id}/stats`),
    refetchInterval: untoldMs,
  });
}

/** Sample POST of each event type, signed with the subscription's present secret. */
export function samplesQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id, "samples"],
    queryFn: async () => await callForData<SignedSample[]>("GET", `/subscriptions/${id}/samples`),
  });
}

/** Adds a subscription. Only the answer contains the secret. */
export function useAddSubscription() {
  return useSubscriptionMutation(
    async (body: SubscriptionInput) =>
      await callForData<z.output<typeof subscriptionWithSecret>>("POST", "/subscriptions", body),
  );
}

/** Changes, disables or enables a subscription. */
export function useChangeSubscription(id: number) {
  return useSubscriptionMutation(
    async (body: Partial<SubscriptionInput> & { state?: "active" | "disabled" }) =>
      await callForData<Subscription>("PATCH", `/subscriptions/${id}`, body),
  );
}

/** Pauses or resumes a subscription. */
export function usePauseOrResume(id: number) {
  return useSubscriptionMutation(
    async (step: "pause" | "resume") =>
      await callForData<Subscription>("POST", `/subscriptions/${id}/${step}`, {}),
  );
}

/** Pauses an active subscription. Any other one becomes active. */
export function useSwitchSubscription({ id, state }: Subscription) {
  return useSubscriptionMutation(async () => {
    const path = `/subscriptions/${id}`;
    if (state === "disabled") return await callForData("PATCH", path, { state: "active" });
    return await callForData("POST", `${path}/${state === "active" ? "pause" : "resume"}`, {});
  });
}

/** Sends `test.ping` to the subscription. @returns the id of the delivery */
export function useSendTest(id: number) {
  return useSubscriptionMutation(
    async () =>
      (await callForData<{ delivery_id: number }>("POST", `/subscriptions/${id}/test`)).delivery_id,
  );
}

/** Gives the subscription a new secret. Only the answer contains the secret. */
export function useRotateSecret(id: number) {
  return useSubscriptionMutation(
    async () =>
      (await callForData<{ secret: string }>("POST", `/subscriptions/${id}/rotate-secret`)).secret,
  );
}

/** Deletes the subscription; its log stays. */
export function useDeleteSubscription(id: number) {
  return useSubscriptionMutation(async () => await callForData("DELETE", `/subscriptions/${id}`));
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
