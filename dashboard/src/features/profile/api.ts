import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { ownSessionView } from "../../../../core/model/views/user.ts";
import { callApi, callForData, queryString, type Listed } from "../../lib/api.ts";

/** A login of the user. */
export type OwnSession = z.output<typeof ownSessionView>;

const key = ["own-sessions"];

/** A page of the user's logins; the last used one comes first. */
export function ownSessionsQuery(offset: number) {
  return queryOptions({
    queryKey: [...key, offset],
    queryFn: async () =>
      await callApi<Listed<OwnSession>>("GET", `/me/sessions${queryString({ limit: 20, offset })}`),
    placeholderData: keepPreviousData,
  });
}

/** Changes the user's password. Every other login ends. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: { current_password: string; new_password: string }) =>
      await callForData<null>("POST", "/me/password", body),
    onSuccess: async () => await client.invalidateQueries({ queryKey: key }),
  });
}

/** Ends one login of the user, or all but this one. @returns the number of ended logins */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (which: number | "others") => {
      if (which === "others") {
        return (await callForData<{ ended: number }>("DELETE", "/me/sessions")).ended;
      }
      await callForData("DELETE", `/me/sessions/${which}`);
      return 1;
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
