import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { AccountPatchBody, AccountView } from "../../../../core/model/account.ts";
import { callForData } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { sessionQuery } from "../../lib/session.ts";

/** The account with its settings. */
export const accountQuery = queryOptions({
  queryKey: liveKeys.account,
  queryFn: async () => await callForData<AccountView>("GET", "/account"),
});

/** Changes the account. Fields that are left out stay the same. */
export function useChangeAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: AccountPatchBody) =>
      await callForData<AccountView>("PATCH", "/account", change),
    onSuccess: async (account) => {
      client.setQueryData(accountQuery.queryKey, account);
      // Every page shows the account's name and uses its time zone.
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
