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
import type { EventType } from "../../../../core/model/event-types.ts";
import { callApi, type Listed } from "../../lib/api.ts";

/** A delivery in the log. */
export type DeliveryRow = z.output<typeof deliveryView>;
/** A delivery with its event and its newest attempts. */
export type Delivery = z.output<typeof deliveryWithAttempts>;
/** An attempt of a delivery. */
export type Attempt = Delivery["attempts"][number];

/** Filter of the delivery log. */
export interface LogFilter {
  subscription_id: number;
  state?: DeliveryState;
  event_type?: EventType;
  /** Id of a delivery or an event, or part of a contact's name, email or phone. */
  search?: string;
  /** First moment of the creation, ISO 8601. */
  since?: string;
  /** End of the creation, not part of the range, ISO 8601. */
  until?: string;
}

const key = ["deliveries"];
/**
 * Refetch intervals in ms. Deliveries that are new, or succeed at their first attempt, send no
 * change events. A fresh delivery is refetched often, because somebody may be waiting for the
 * result of a test.
 */
const logMs = 5_000;
const openMs = 2_000;
const freshMs = 200;
const freshForMs = 15_000;
/**
 * States in which no delivery begins. Entering one sends a change event, so these logs need no
 * refetch.
 */
const toldStates: (DeliveryState | undefined)[] = ["waiting", "discarded", "cancelled"];

/** A page of the log, newest first. */
export function deliveriesQuery(filter: LogFilter, beforeId: number | null) {
  const query = { ...filter, limit: 50, before_id: beforeId ?? undefined };
  return queryOptions({
    queryKey: [...key, filter, beforeId],
    queryFn: async () => await callApi("GET /deliveries", { query }),
    placeholderData: keepPreviousData,
    refetchInterval: beforeId !== null || toldStates.includes(filter.state) ? false : logMs,
  });
}

/** One delivery. An open one is refetched, and its row in the log too. */
export function deliveryQuery(id: number) {
  return queryOptions({
    queryKey: [...key, id],
    queryFn: async ({ client }) => {
      const delivery = await callApi("GET /deliveries/:id", { id });
      readLogAgain(client, delivery);
      return delivery;
    },
    refetchInterval: ({ state: { data } }) => (data === undefined ? false : untoldMs(data)),
  });
}

/**
 * A page of older attempts of a delivery, newest first. The delivery itself contains the newest
 * page.
 */
export function attemptsQuery(id: number, offset: number) {
  const query = { limit: newestAttempts, offset };
  return queryOptions({
    queryKey: [...key, id, "attempts", offset],
    queryFn: async () => await callApi("GET /deliveries/:id/attempts", { id, query }),
    placeholderData: keepPreviousData,
    enabled: offset > 0,
  });
}

/** Refetches logs whose row shows another state. The log alone is refetched only every 5 s. */
function readLogAgain(client: QueryClient, { id, state }: Delivery): void {
  const isBehind = ({ queryKey, state: { data } }: Query): boolean =>
    queryKey.length === 3 &&
    (data as Listed<DeliveryRow> | undefined)?.data.some(
      (row) => row.id === id && row.state !== state,
    ) === true;
  void client.invalidateQueries({ queryKey: key, predicate: isBehind });
}

/**
 * Refetch interval in ms while the first attempt is open; false once change events report the
 * delivery.
 */
function untoldMs({ state, run, attempts_made, created_at }: Delivery): number | false {
  if (!isOpenDelivery(state) || run > 1 || attempts_made > 0) return false;
  return Date.now() - new Date(created_at).getTime() < freshForMs ? freshMs : openMs;
}

/** Actions on a delivery. */
export type DeliveryAction = { step: "retry" | "redeliver" } | { step: "cancel"; reason: string };

/** Retries a delivery now, cancels it, or redelivers a finished one. */
export function useDeliveryAction(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: DeliveryAction) =>
      action.step === "cancel"
        ? await callApi("POST /deliveries/:id/cancel", { id, body: { reason: action.reason } })
        : await callApi(`POST /deliveries/:id/${action.step}`, { id }),
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
