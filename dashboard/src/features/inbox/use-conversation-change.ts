import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SettableStatus } from "../../../../core/model/conversation.ts";
import type { StageView } from "../../../../core/model/pipeline.ts";
import { callForData } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import { moveConversation } from "../../lib/pipelines.ts";
import { changeKey, conversationQuery, type Conversation } from "./api.ts";

/** What people do to a conversation beside writing in it. */
export type ConversationChange =
  | { type: "status"; status: SettableStatus }
  | { type: "assign"; userId: number | null }
  | { type: "stage"; stage: StageView }
  | { type: "bot"; enabled: boolean; reason?: string };

/** Changes a conversation; the page shows it at once, and as it was with the reason where it is refused. */
export function useConversationChange(id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const { queryKey } = conversationQuery(id);
  return useMutation({
    mutationKey: changeKey(id),
    // One after the other, so that what was chosen last holds.
    scope: { id: `conversation-${id}` },
    mutationFn: async (change: ConversationChange) => await sendChange(id, change),
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey, exact: true });
      const before = client.getQueryData(queryKey);
      if (before !== undefined)
        client.setQueryData(queryKey, { ...before, ...expected(change, before) });
      return before;
    },
    onError: (error, _change, before) => {
      client.setQueryData(queryKey, before);
      tellFailure(t("inbox.not_changed"), error);
    },
    onSuccess: (conversation) => client.setQueryData(queryKey, conversation),
    // Not waited for: the conversation in turn waits for this change to be over.
    onSettled: () => {
      void client.invalidateQueries({ queryKey });
      void client.invalidateQueries({ queryKey: liveKeys.conversationLists });
    },
  });
}

async function sendChange(id: number, change: ConversationChange): Promise<Conversation> {
  const path = `/conversations/${id}`;
  switch (change.type) {
    case "status":
      return await callForData("PATCH", path, { status: change.status });
    case "assign":
      return await callForData("POST", `${path}/assign`, { user_id: change.userId });
    case "stage":
      return await moveConversation(id, { stage_id: change.stage.stage_id });
    case "bot": {
      const { enabled, reason } = change;
      return await callForData("POST", `${path}/bot`, { enabled, reason });
    }
  }
}

/** What the API will answer, as far as it is plain. */
function expected(change: ConversationChange, { status }: Conversation): Partial<Conversation> {
  switch (change.type) {
    case "status":
      return { status: change.status, ...noHandoff };
    case "assign":
      return { assigned_to_user_id: change.userId };
    case "stage":
      return { stage: change.stage };
    case "bot":
      if (!change.enabled) return { bot_enabled: false, status: "handed_off" };
      return {
        bot_enabled: true,
        status: status === "handed_off" ? "active" : status,
        ...noHandoff,
      };
  }
}

/** Every status that people choose, and the agent's return, end a handoff. */
const noHandoff = { handoff: null, answered_by_user_id: null };
