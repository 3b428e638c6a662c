import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type Query,
  type QueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import type { deliveryView, deliveryWithAttempts } from "../../../../core/model/views/dashboard.ts";
import {
  isOpenDelivery,
  newestAttempts,
  type DeliveryState,
} from "../../../../core/model/workflow/delivery.ts";
import type { EventType } from "../../../../core/model/events.ts";
import { callApi, callForData, queryString, type Listed, type LogMeta } from "../../lib/api.ts";

/** A delivery in the log. */
export type DeliveryRow = z.output<typeof deliveryView>;
/** A delivery with its event and its newest attempts. */
export type Delivery = z.output<typeof deliveryWithAttempts>;
/** One POST. */
export type Attempt = Delivery["attempts"][number];

/** Which deliveries of a subscription the log shows. */
export interface LogFilter {
  subscription_id: number;
  state?: DeliveryState;
  event_type?: EventType;
}

const key = ["deliveries"];
/**
 * The stream tells of every delivery but one that is new, or arrives at its first attempt: those are
 * looked for, a fresh one often, since somebody may be waiting for what comes of a test.
 */
const logMs = 5_000;
const openMs = 2_000;
const freshMs = 200;
const freshForMs = 15_000;
/** What no delivery is from the beginning. */
const toldStates: (DeliveryState | undefined)[] = ["waiting", "discarded", "cancelled"];

/** A page of the log, newest first. */
export function deliveriesQuery(filter: LogFilter, beforeId: number | null) {
  const query = queryString({ ...filter, limit: 50, before_id: beforeId ?? undefined });
  return queryOptions({
    queryKey: [...key, filter, beforeId],
    queryFn: async () => await callApi<Listed<DeliveryRow, LogMeta>>("GET", `/deliveries${query}`),
    placeholderData: keepPreviousData,
    refetchInterval: beforeId !== null || toldStates.includes(filter.state) ? false : logMs,
  });
}

/** One delivery; one that is under way is followed, and its row in the log with it. */
export function deliveryQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async ({ client }) => {
      const delivery = await callForData<Delivery>("GET", `/deliveries/${id}`);
      readLogAgain(client, delivery);
      return delivery;
    },
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : untoldMs(data)),
  });
}

/** A page of older attempts of a delivery, newest first; the delivery itself comes with the newest page. */
export function attemptsQuery(id: number, offset: number) {
  const query = queryString({ limit: newestAttempts, offset });
  return queryOptions({
    queryKey: [...key, id, "attempts", offset],
    queryFn: async () =>
      await callApi<Listed<Attempt>>("GET", `/deliveries/${id}/attempts${query}`),
    placeholderData: keepPreviousData,
    enabled: offset > 0,
  });
}

/** Where its row tells of another state: the log is read every five seconds, this one more often. */
function readLogAgain(client: QueryClient, { id, state }: Delivery): void {
  const isBehind = ({ queryKey, state: { data } }: Query): boolean =>
    queryKey.length === 3 &&
    (data as Listed<DeliveryRow> | undefined)?.data.some(
      (row) => row.id === id && row.state !== state,
    ) === true;
  void client.invalidateQueries({ queryKey: key, predicate: isBehind });
}

/** How soon to look again at a delivery whose first attempt is under way; false: the stream tells. */
function untoldMs({ state, run, attempts_made, created_at }: Delivery): number | false {
  if (!isOpenDelivery(state) || run > 1 || attempts_made > 0) return false;
  return Date.now() - new Date(created_at).getTime() < freshForMs ? freshMs : openMs;
}

/** What operators do to a delivery. */
export type DeliveryAction = { step: "retry" | "redeliver" } | { step: "cancel"; reason: string };

/** Retries now, cancels, or sends a finished delivery again. */
export function useDeliveryAction(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ step, ...body }: DeliveryAction) =>
      await callForData<Delivery>("POST", `/deliveries/${id}/${step}`, body),
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
