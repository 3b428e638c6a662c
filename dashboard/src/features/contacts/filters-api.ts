import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ContactFilter as KeptFilter } from "../../../../core/model/contact-filter.ts";
import { callApi } from "../../lib/api.ts";
import { tellFailure } from "../../lib/notify.ts";

export type { KeptFilter };

/** The filters that the user has saved in this account, by name. */
export const keptFiltersQuery = queryOptions({
  queryKey: ["contact-filters"],
  queryFn: async () => await callApi("GET /me/contact-filters"),
});

/** Saves a filter. It replaces a filter with the same name. */
export function useKeepFilter() {
  return useFilterWrite(
    async (filter: KeptFilter) => await callApi("POST /me/contact-filters", { body: filter }),
  );
}

/** Deletes a saved filter. */
export function useForgetFilter() {
  const { t } = useTranslation();
  return useFilterWrite(
    async (name: string) => await callApi("DELETE /me/contact-filters", { query: { name } }),
    (error) => tellFailure(t("contacts.filter_not_forgotten"), error),
  );
}

function useFilterWrite<Input>(
  mutationFn: (input: Input) => Promise<KeptFilter[]>,
  onError?: (error: Error) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (filters) => client.setQueryData(keptFiltersQuery.queryKey, filters),
    ...(onError === undefined ? {} : { onError }),
  });
}
