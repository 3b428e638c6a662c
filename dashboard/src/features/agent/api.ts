import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { callApi, type AnswerOf, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";

/** The agent: its switch, its draft and its published settings. */
export type Agent = AnswerOf<"GET /agent">;
export type AgentDraft = Agent["draft"];
export type Provider = AnswerOf<"GET /agent/providers">[number];
export type Version = AnswerOf<"GET /agent/versions">["data"][number];

const changeKey = ["change-agent"];

/** The agent of the account. */
export const agentQuery = queryOptions({
  queryKey: [...liveKeys.agent, "settings"],
  queryFn: async ({ client, signal }) => {
    await mutationsDone(client, changeKey, signal);
    return await callApi("GET /agent");
  },
});

/** A page of the published versions, newest first. */
export function versionsQuery(offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.agent, "versions", offset],
    queryFn: async () => await callApi("GET /agent/versions", { query: { limit: 10, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** The model providers in the order in which they serve. Only admins read them. */
export const providersQuery = queryOptions({
  queryKey: [...liveKeys.agent, "providers"],
  queryFn: async () => await callApi("GET /agent/providers"),
});

/** Fields of a provider. Without a key the stored one stays. */
export type ProviderBody = Omit<BodyOf<"POST /agent/providers">, "api_key"> & { api_key?: string };

/** A step that changes the agent and answers with it. */
export type AgentStep =
  | { patch: BodyOf<"PATCH /agent"> }
  /** The version of the draft that the page shows. */
  | { publish: number }
  | { restore: number; version: number };

/**
 * Changes the draft or the switch, publishes the draft, or restores a version into it. A refusal
 * because a colleague changed the draft brings the colleague's draft to the page.
 */
export function useChangeAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: changeKey,
    mutationFn: async (step: AgentStep) => {
      if ("patch" in step) return await callApi("PATCH /agent", { body: step.patch });
      if ("restore" in step) {
        const { restore: id, version } = step;
        return await callApi("POST /agent/versions/:id/restore", { id, body: { version } });
      }
      return await callApi("POST /agent/publish", { body: { version: step.publish } });
    },
    onError: () => void client.invalidateQueries({ queryKey: agentQuery.queryKey }),
    onSuccess: async (agent) => {
      client.setQueryData(agentQuery.queryKey, agent);
      await client.invalidateQueries({ queryKey: [...liveKeys.agent, "versions"] });
    },
  });
}

/** Adds a provider, or changes the one with this id. */
export function useSaveProvider(id: number | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ api_key: key, ...body }: ProviderBody) =>
      id === null
        ? await callApi("POST /agent/providers", { body: { ...body, api_key: key ?? "" } })
        : await callApi("PATCH /agent/providers/:id", {
            id,
            body: { ...body, ...(key === undefined ? {} : { api_key: key }) },
          }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: liveKeys.agent }),
  });
}

/** Deletes a provider with its key. */
export function useDeleteProvider(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await callApi("DELETE /agent/providers/:id", { id }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: liveKeys.agent }),
  });
}
