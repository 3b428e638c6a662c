import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { apiKeyView, apiKeyWithKey } from "../../../../core/model/views/dashboard.ts";
import type { Scope } from "../../../../core/model/principal.ts";
import { callApi, callForData, queryString, type Listed } from "../../lib/api.ts";

/** An API key, of which only the beginning and the end are shown. */
export type ApiKey = z.output<typeof apiKeyView>;
type IssuedKey = z.output<typeof apiKeyWithKey>;

const key = ["api-keys"];

/** A page of the account's keys, newest first. */
export function apiKeysQuery(offset: number) {
  return queryOptions({
    queryKey: [...key, offset],
    queryFn: async () =>
      await callApi<Listed<ApiKey>>("GET", `/api-keys${queryString({ limit: 50, offset })}`),
    placeholderData: keepPreviousData,
  });
}

/** Makes a key, which is in the answer alone. */
export function useMakeKey() {
  return useKeyMutation(
    async (body: { name: string; scopes: Scope[]; expires_at: string | null }) =>
      await callForData<IssuedKey>("POST", "/api-keys", body),
  );
}

/** Makes a successor, which is in the answer alone; the old key goes on for some hours. */
export function useRotateKey() {
  return useKeyMutation(
    async ({ id, ...body }: { id: number; overlap_hours: number }) =>
      await callForData<IssuedKey>("POST", `/api-keys/${id}/rotate`, body),
  );
}

/** Ends a key for good. */
export function useRevokeKey() {
  return useKeyMutation(
    async (id: number) => await callForData<ApiKey>("POST", `/api-keys/${id}/revoke`),
  );
}

function useKeyMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
