import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callApi, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { widgetsQuery } from "../../lib/widgets.ts";

/** A widget; null where no widget has this id. */
export function useWidget(id: number) {
  const { data, error, refetch } = useQuery(widgetsQuery);
  return { data: data && (data.find((one) => one.id === id) ?? null), error, refetch };
}

/** Booking links that a widget can book through. */
export const bookableLinksQuery = queryOptions({
  queryKey: [...liveKeys.agendas, "links-of-widgets"],
  queryFn: async () =>
    (await callApi("GET /booking-links", { query: { limit: 100, offset: 0 } })).data,
});

/** Adds a widget. Its secret is not kept: the page makes a new one where it is needed. */
export function useAddWidget() {
  return useWidgetMutation(async (body: BodyOf<"POST /widgets">) => {
    return await callApi("POST /widgets", { body });
  });
}

/** Changes the fields that are given. */
export function useChangeWidget(id: number) {
  return useWidgetMutation(async (body: BodyOf<"PATCH /widgets/:id">) => {
    return await callApi("PATCH /widgets/:id", { id, body });
  });
}

/** Deletes a widget. Its conversations stay. */
export function useDeleteWidget(id: number) {
  return useWidgetMutation(async () => await callApi("DELETE /widgets/:id", { id }));
}

/** Makes a new secret. The one before is accepted for 24 hours more. */
export function useRenewSecret(id: number) {
  return useWidgetMutation(async () => await callApi("POST /widgets/:id/secret", { id }));
}

/** `gcTime` 0: the cache drops an answer with a secret as soon as its page is left. */
function useWidgetMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  const onSettled = async () =>
    await client.invalidateQueries({ queryKey: [...liveKeys.channels] });
  return useMutation({ mutationFn, onSettled, gcTime: 0 });
}
