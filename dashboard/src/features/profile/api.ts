import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { ownSessionView } from "../../../../core/model/views/user.ts";
import { callApi, type BodyOf } from "../../lib/api.ts";

/** A login of the user. */
export type OwnSession = z.output<typeof ownSessionView>;

const key = ["own-sessions"];

/** A page of the user's logins; the last used one comes first. */
export function ownSessionsQuery(offset: number) {
  return queryOptions({
    queryKey: [...key, offset],
    queryFn: async () => await callApi("GET /me/sessions", { query: { limit: 20, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** Changes the user's password. Every other login ends. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: BodyOf<"POST /me/password">) =>
      await callApi("POST /me/password", { body }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: key }),
  });
}

/** Ends one login of the user, or all but this one. @returns the number of ended logins */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (which: number | "others") => {
      if (which === "others") {
        return (await callApi("DELETE /me/sessions")).ended;
      }
      await callApi("DELETE /me/sessions/:id", { id: which });
      return 1;
    },
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
