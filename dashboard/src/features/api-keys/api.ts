import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { apiKeyView } from "../../../../core/model/views/dashboard.ts";
import { callApi, type BodyOf } from "../../lib/api.ts";

/** An API key. Only its beginning and its end are known. */
export type ApiKey = z.output<typeof apiKeyView>;

const key = ["api-keys"];

/** A page of the account's keys, newest first. */
export function apiKeysQuery(offset: number) {
  return queryOptions({
    queryKey: [...key, offset],
    queryFn: async () => await callApi("GET /api-keys", { query: { limit: 50, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** Creates a key. Only the answer contains the whole key. */
export function useMakeKey() {
  return useKeyMutation(
    async (body: BodyOf<"POST /api-keys">) => await callApi("POST /api-keys", { body }),
  );
}

/**
 * Creates a successor of a key. Only the answer contains it whole. The old key stays valid for some
 * hours.
 */
export function useRotateKey() {
  return useKeyMutation(
    async ({ id, ...body }: { id: number; overlap_hours: number }) =>
      await callApi("POST /api-keys/:id/rotate", { id, body }),
  );
}

/** Revokes a key for good. */
export function useRevokeKey() {
  return useKeyMutation(async (id: number) => await callApi("POST /api-keys/:id/revoke", { id }));
}

function useKeyMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => await client.invalidateQueries({ queryKey: key }),
  });
}
