import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  channelAccountView,
  channelAppView,
  channelItemView,
  channelNumberView,
  channelTrafficView,
  channelWebhookView,
} from "../../../../core/model/channel-setup.ts";
import { callApi, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** A number, Page, Instagram account or sandbox, without its token. */
export type Channel = z.output<typeof channelAccountView>;

const key = liveKeys.channels;
/** Refetch interval. Webhooks and checks of a channel send no change events. */
const followMs = 5_000;

/** Every channel of the account, oldest first. */
export const channelsQuery = queryOptions({
  queryKey: [...key, "accounts"],
  queryFn: async () => await callApi("GET /channel-accounts"),
  refetchInterval: followMs,
});

/** A channel; null where no channel has this id. */
export function useChannel(id: number) {
  const { data, error, refetch } = useQuery(channelsQuery);
  return { data: data && (data.find((one) => one.id === id) ?? null), error, refetch };
}

/** Messages of a channel over time. */
export type ChannelTraffic = z.output<typeof channelTrafficView>;

const followTrafficMs = 30_000;

/** Messages of a channel in each of the last 24 hours, and in the last minute. */
export function trafficQuery(id: number) {
  return queryOptions({
    queryKey: [...key, "traffic", id],
    queryFn: async () => await callApi("GET /channel-accounts/:id/traffic", { id }),
    refetchInterval: followTrafficMs,
  });
}

/** Number of the items whose number or Page is not connected. */
export const unroutedQuery = queryOptions({
  queryKey: [...key, "unrouted"],
  queryFn: async () =>
    (await callApi("GET /channel-items", { query: { state: "unrouted", limit: 1 } })).meta.total,
  refetchInterval: followMs,
});

/** A Meta app with the URL and the verify token for Meta's settings. */
export type ChannelApp = z.output<typeof channelAppView>;
/** A number of a WhatsApp Business Account. */
export type ChannelNumber = z.output<typeof channelNumberView>;

/** The account's Meta apps. */
export const appsQuery = queryOptions({
  queryKey: [...key, "apps"],
  queryFn: async () => await callApi("GET /channel-apps"),
  refetchInterval: followMs,
});

/** Adds a Meta app, or replaces the secrets of a known one. */
export function useSaveApp() {
  return useChannelMutation(
    async (body: BodyOf<"POST /channel-apps">) => await callApi("POST /channel-apps", { body }),
  );
}

/** Asks Meta for the numbers of a WhatsApp Business Account. Nothing is stored. */
export function useFindNumbers() {
  return useMutation({
    gcTime: 0,
    mutationFn: async ({
      id,
      ...body
    }: { id: number } & BodyOf<"POST /channel-apps/:id/numbers">) =>
      await callApi("POST /channel-apps/:id/numbers", { id, body }),
  });
}

/** Connects a channel, or gives it a new token. Meta is asked first. */
export function useConnectChannel() {
  return useChannelMutation(
    async (body: BodyOf<"POST /channel-accounts">) =>
      await callApi("POST /channel-accounts", { body }),
  );
}

function useReadAgain(): () => Promise<void> {
  const client = useQueryClient();
  return async () => await client.invalidateQueries({ queryKey: key });
}

/** `gcTime` 0: the cache drops a call with its secrets as soon as its page is left. */
function useChannelMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const readAgain = useReadAgain();
  return useMutation({ mutationFn, onSettled: readAgain, gcTime: 0 });
}

/** Asks Meta about a channel now, and subscribes to its webhooks again. */
export function useCheck(id: number) {
  return useChannelMutation(async () => await callApi("POST /channel-accounts/:id/check", { id }));
}

/** Changes the name of a channel, or who answers there. */
export function useEditChannel(id: number) {
  return useChannelMutation(
    async (body: BodyOf<"PATCH /channel-accounts/:id">) =>
      await callApi("PATCH /channel-accounts/:id", { id, body }),
  );
}

/** Registers a number at WhatsApp with a PIN. */
export function useRegister(id: number) {
  return useChannelMutation(
    async (body: BodyOf<"POST /channel-accounts/:id/register">) =>
      await callApi("POST /channel-accounts/:id/register", { id, body }),
  );
}

/** Sends a test message to somebody who has written to the channel. */
export function useTestMessage(id: number) {
  return useChannelMutation(
    async (body: BodyOf<"POST /channel-accounts/:id/test-message">) =>
      await callApi("POST /channel-accounts/:id/test-message", { id, body }),
  );
}

/** Ends the subscription at Meta and deletes the token. Conversations stay. */
export function useDisconnect(id: number) {
  return useChannelMutation(async () => await callApi("DELETE /channel-accounts/:id", { id }));
}

/** One message, status or other fact of a webhook. */
export type ChannelItem = z.output<typeof channelItemView>;

/** A page of a channel's parked items, newest first. */
export function parkedQuery(channelId: number, beforeId: number | null) {
  const query = {
    state: "parked",
    channel_account_id: channelId,
    limit: 50,
    before_id: beforeId ?? undefined,
  } as const;
  return queryOptions({
    queryKey: [...key, "parked", channelId, beforeId],
    queryFn: async () => await callApi("GET /channel-items", { query }),
    refetchInterval: followMs,
  });
}

/** Content of an item, and the webhook that brought it. */
export function rawQuery(id: number) {
  return queryOptions({
    queryKey: [...key, "raw", id],
    queryFn: async () => await callApi("GET /channel-items/:id/raw", { id }),
    // Bodies of messages do not stay in the cache of a page that was left.
    gcTime: 0,
  });
}

/** Applies a parked item once more. */
export function useRetryItem(id: number) {
  return useChannelMutation(async () => await callApi("POST /channel-items/:id/retry", { id }));
}

/** A signed webhook that nobody could read. */
export type ChannelWebhook = z.output<typeof channelWebhookView>;

/** The newest webhooks that nobody could read. */
export const unreadWebhooksQuery = queryOptions({
  queryKey: [...key, "webhooks"],
  queryFn: async () => await callApi("GET /channel-webhooks", { query: { limit: 50 } }),
  refetchInterval: followMs,
});

/** Text of such a webhook. */
export function webhookTextQuery(id: number) {
  return queryOptions({
    queryKey: [...key, "webhook", id],
    queryFn: async () => await callApi("GET /channel-webhooks/:id/raw", { id }),
    gcTime: 0,
  });
}

/** Reads such a webhook once more. */
export function useRetryWebhook(id: number) {
  return useChannelMutation(async () => await callApi("POST /channel-webhooks/:id/retry", { id }));
}
