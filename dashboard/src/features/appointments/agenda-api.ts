import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { closureView } from "../../../../core/model/views/appointment.ts";
import type { bookingLinkView } from "../../../../core/model/booking-link.ts";
import { callApi, readAll } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellDone, tellFailure } from "../../lib/notify.ts";

/** A public page on which customers book. */
export type BookingLink = z.output<typeof bookingLinkView>;
/** A period in which a resource is closed. */
export type Closure = z.output<typeof closureView>;

/** The account's booking links, newest first. An account has at most 100. */
export const bookingLinksQuery = queryOptions({
  queryKey: [...liveKeys.agendas, "links"],
  queryFn: async () => await callApi("GET /booking-links", { query: { limit: 100 } }),
});

/** The closures of a resource that have not ended. */
export function closuresQuery(resourceId: number) {
  return queryOptions({
    queryKey: [...liveKeys.agendas, "closures", resourceId],
    queryFn: async () =>
      await readAll(
        async (query) => await callApi("GET /resources/:id/closures", { id: resourceId, query }),
      ),
  });
}

/** A change of agendas, services, closures or booking links, by a call of the API. */
type AgendaChange = () => Promise<AgendaAnswer>;

/** Notices in the answer to a change, beside the changed row. */
interface AgendaAnswer {
  id: number;
  archived?: boolean;
  appointments_outside?: number;
  appointments_of_other_length?: number;
}

/**
 * Changes agendas, services, closures or booking links. A toast says how existing appointments are
 * affected.
 */
export function useAgendaChange() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (change: AgendaChange) => await change(),
    // In the hook, not in the call: the row that asked may be unmounted by then.
    onSuccess: ({ archived, ...rest }) => {
      const { appointments_outside: outside, appointments_of_other_length: other } = rest;
      if (archived === true) tellDone(t("setup.was_archived"));
      if (outside !== undefined && outside > 0) tellDone(t("setup.outside", { count: outside }));
      if (other !== undefined && other > 0) tellDone(t("setup.other_length", { count: other }));
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.agendas }),
  });
}

/** Runs one change at a time, for buttons without a form that could show a refusal. */
export function useAgendaStep() {
  const { t } = useTranslation();
  const { mutate, isPending } = useAgendaChange();
  const take = (change: AgendaChange): void => {
    if (isPending) return;
    mutate(change, { onError: (error) => tellFailure(t("setup.not_changed"), error) });
  };
  return { take, isPending };
}
