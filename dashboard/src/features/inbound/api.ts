import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type {
  inboundEndpointView,
  inboundEndpointWithSecret,
  inboundRequestView,
} from "../../../../core/model/views/inbound.ts";
import type { EndpointKind } from "../../../../core/model/inbound.ts";
import type { InboundVerdict } from "../../../../core/model/inbound-log.ts";
import { callApi, callForData, queryString, type Listed, type LogMeta } from "../../lib/api.ts";

/** An inbound endpoint or a voice integration, without its secret. */
export type Endpoint = z.output<typeof inboundEndpointView>;
/** One call in an endpoint's log. */
export type InboundCall = z.output<typeof inboundRequestView>;

/** What makes or changes an endpoint. */
export interface EndpointInput {
  name: string;
  strict: boolean;
}

/** Which calls of an endpoint the log shows. */
export interface LogFilter {
  verdict?: InboundVerdict;
}

const below: Record<EndpointKind, string> = {
  inbound: "/inbound-endpoints",
  voice: "/voice-integrations",
};
const key = ["inbound"];
/** The stream does not tell of calls, which would cost each of them a row: they are looked at again. */
const followMs = 3_000;

/** Every endpoint of either kind, newest first; an account has at most 20 of each. */
export const endpointsQuery = queryOptions({
  queryKey: [...key, "endpoints"],
  queryFn: async () => {
    const lists = await Promise.all(
      Object.values(below).map(
        async (path) => await callApi<Listed<Endpoint>>("GET", `${path}?limit=100`),
      ),
    );
    const rows = lists.flatMap(({ data }) => data);
    return rows.toSorted((one, other) => other.id - one.id);
  },
  refetchInterval: followMs,
});

/** One of them; null where there is none with this id. */
export function useEndpoint(id: number) {
  const { data, error, refetch } = useQuery(endpointsQuery);
  return { data: data && (data.find((one) => one.id === id) ?? null), error, refetch };
}

/** A page of an endpoint's log, newest first. */
export function callsQuery({ id, kind }: Endpoint, filter: LogFilter, beforeId: number | null) {
  const query = queryString({ ...filter, limit: 50, before_id: beforeId ?? undefined });
  return queryOptions({
    queryKey: [...key, "calls", id, filter, beforeId],
    queryFn: async () =>
      await callApi<Listed<InboundCall, LogMeta>>("GET", `${below[kind]}/${id}/requests${query}`),
    // An old page gets no new call.
    refetchInterval: beforeId === null && followMs,
  });
}

/** Adds an endpoint; its secret is in the answer alone. */
export function useAddEndpoint() {
  return useEndpointMutation(
    async ({ kind, ...body }: EndpointInput & { kind: EndpointKind }) =>
      await callForData<z.output<typeof inboundEndpointWithSecret>>("POST", below[kind], body),
  );
}

/** Changes an endpoint, or disables or enables it. */
export function useChangeEndpoint({ id, kind }: Endpoint) {
  return useEndpointMutation(
    async (body: Partial<EndpointInput> & { enabled?: boolean }) =>
      await callForData<Endpoint>("PATCH", `${below[kind]}/${id}`, body),
  );
}

/** Gives an endpoint a new secret, which is in the answer alone. */
export function useRotateSecret({ id, kind }: Endpoint) {
  return useEndpointMutation(
    async () =>
      (await callForData<{ secret: string }>("POST", `${below[kind]}/${id}/rotate-secret`)).secret,
  );
}

/** Deletes an endpoint: whoever calls it reads 404. */
export function useDeleteEndpoint({ id, kind }: Endpoint) {
  return useEndpointMutation(async () => await callForData("DELETE", `${below[kind]}/${id}`));
}

/** Reads endpoints and logs again. */
export function useReadAgain(): () => Promise<void> {
  const client = useQueryClient();
  return async () => await client.invalidateQueries({ queryKey: key });
}

function useEndpointMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const readAgain = useReadAgain();
  return useMutation({ mutationFn, onSettled: readAgain });
}
