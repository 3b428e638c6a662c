import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  inboundEndpointView,
  inboundRequestView,
} from "../../../../core/model/views/inbound.ts";
import type { EndpointKind } from "../../../../core/model/inbound.ts";
import type { InboundVerdict } from "../../../../core/model/inbound-log.ts";
import { callApi } from "../../lib/api.ts";

/** An inbound endpoint or a voice integration, without its secret. */
export type Endpoint = z.output<typeof inboundEndpointView>;
/** A call in the log of an endpoint. */
export type InboundCall = z.output<typeof inboundRequestView>;

/** Fields that create or change an endpoint. */
export interface EndpointInput {
  name: string;
  strict: boolean;
}

/** Filter of the log of calls. */
export interface LogFilter {
  verdict?: InboundVerdict;
}

const below = { inbound: "/inbound-endpoints", voice: "/voice-integrations" } as const;
const key = ["inbound"];
/**
 * Refetch interval. Calls send no change events, because each event would cost a row in the
 * database.
 */
const followMs = 3_000;

/** Every endpoint of both kinds, newest first. An account has at most 20 of each kind. */
export const endpointsQuery = queryOptions({
  queryKey: [...key, "endpoints"],
  queryFn: async () => {
    const lists = await Promise.all(
      Object.values(below).map(
        async (path) => await callApi(`GET ${path}`, { query: { limit: 100 } }),
      ),
    );
    const rows = lists.flatMap(({ data }) => data);
    return rows.toSorted((one, other) => other.id - one.id);
  },
  refetchInterval: followMs,
});

/** An endpoint; null where no endpoint has this id. */
export function useEndpoint(id: number) {
  const { data, error, refetch } = useQuery(endpointsQuery);
  return { data: data && (data.find((one) => one.id === id) ?? null), error, refetch };
}

/** A page of an endpoint's log, newest first. */
export function callsQuery({ id, kind }: Endpoint, filter: LogFilter, beforeId: number | null) {
  const query = { ...filter, limit: 50, before_id: beforeId ?? undefined };
  return queryOptions({
    queryKey: [...key, "calls", id, filter, beforeId],
    queryFn: async () => await callApi(`GET ${below[kind]}/:id/requests`, { id, query }),
    // Older pages get no new calls.
    refetchInterval: beforeId === null && followMs,
  });
}

/** Adds an endpoint. Only the answer contains the secret. */
export function useAddEndpoint() {
  return useEndpointMutation(
    async ({ kind, ...body }: EndpointInput & { kind: EndpointKind }) =>
      await callApi(`POST ${below[kind]}`, { body }),
  );
}

/** Changes, disables or enables an endpoint. */
export function useChangeEndpoint({ id, kind }: Endpoint) {
  return useEndpointMutation(
    async (body: Partial<EndpointInput> & { enabled?: boolean }) =>
      await callApi(`PATCH ${below[kind]}/:id`, { id, body }),
  );
}

/** Gives an endpoint a new secret. Only the answer contains the secret. */
export function useRotateSecret({ id, kind }: Endpoint) {
  return useEndpointMutation(
    async () => (await callApi(`POST ${below[kind]}/:id/rotate-secret`, { id })).secret,
  );
}

/** Deletes an endpoint. Later calls get 404. */
export function useDeleteEndpoint({ id, kind }: Endpoint) {
  return useEndpointMutation(async () => await callApi(`DELETE ${below[kind]}/:id`, { id }));
}

/** Refetches endpoints and logs. */
export function useReadAgain(): () => Promise<void> {
  const client = useQueryClient();
  return async () => await client.invalidateQueries({ queryKey: key });
}

function useEndpointMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const readAgain = useReadAgain();
  return useMutation({ mutationFn, onSettled: readAgain });
}
