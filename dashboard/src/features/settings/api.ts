import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AccountPatchBody } from "../../../../core/model/account.ts";
import { accountQuery } from "../../lib/account.ts";
import { callApi } from "../../lib/api.ts";
import { sessionQuery } from "../../lib/session.ts";

/** Changes the account. Fields that are left out stay the same. */
export function useChangeAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: AccountPatchBody) =>
      await callApi("PATCH /account", { body: change }),
    onSuccess: async (account) => {
      client.setQueryData(accountQuery.queryKey, account);
      // Every page shows the account's name and uses its time zone.
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
