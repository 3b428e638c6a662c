import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import type { Conversation } from "./api.ts";

/** Key of the requests of a conversation. */
export function suggestionKey(id: number) {
  return ["suggestion", id];
}

/** Asks the agent for a draft, and cancels the draft that the agent is at. */
export function useSuggestion({ id }: Pick<Conversation, "id">) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const onSettled = async (): Promise<void> =>
    await client.invalidateQueries({ queryKey: liveKeys.conversation(id) });
  const ask = useMutation({
    mutationKey: suggestionKey(id),
    mutationFn: async () => await callApi("POST /conversations/:id/suggestion", { id }),
    onError: (error) => tellFailure(t("inbox.not_suggested"), error),
    onSettled,
  });
  const cancel = useMutation({
    mutationFn: async () => await callApi("DELETE /conversations/:id/suggestion", { id }),
    onSettled,
  });
  return { ask: () => ask.mutate(), cancel: () => cancel.mutate() };
}
