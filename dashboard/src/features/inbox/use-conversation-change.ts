import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { SettableStatus } from "../../../../core/model/conversation.ts";
import type { StageView } from "../../../../core/model/pipeline.ts";
import { callApi } from "../../lib/api.ts";
import { placeChanged } from "../../lib/inbox-queue.ts";
import { tellFailure } from "../../lib/notify.ts";
import { moveConversation } from "../../lib/pipelines.ts";
import { changeKey, conversationQuery, type Conversation } from "./api.ts";

/** A change of a conversation, other than a new message or note. */
export type ConversationChange =
  | { type: "status"; status: SettableStatus }
  | { type: "assign"; userId: number | null }
  | { type: "stage"; stage: StageView }
  | { type: "snooze"; until: string | null }
  | { type: "bot"; enabled: boolean; reason?: string };

/**
 * Changes a conversation. The page shows the change at once. A refusal reverts it and shows the
 * reason.
 */
export function useConversationChange(id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const { queryKey } = conversationQuery(id);
  return useMutation({
    mutationKey: changeKey(id),
    // One request after another, so that the last choice wins.
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
    // Not awaited, because the query of the conversation itself waits for the end of this mutation.
    onSettled: (conversation, _error, _change, before) => {
      void client.invalidateQueries({ queryKey });
      const contactId = (conversation ?? before)?.contact_id;
      if (contactId !== undefined) void placeChanged(client, [contactId]);
    },
  });
}

async function sendChange(id: number, change: ConversationChange): Promise<Conversation> {
  switch (change.type) {
    case "status":
      return await callApi("PATCH /conversations/:id", { id, body: { status: change.status } });
    case "assign":
      return await callApi("POST /conversations/:id/assign", {
        id,
        body: { user_id: change.userId },
      });
    case "stage":
      return await moveConversation(id, { stage_id: change.stage.stage_id });
    case "snooze":
      if (change.until === null) return await callApi("DELETE /conversations/:id/snooze", { id });
      return await callApi("POST /conversations/:id/snooze", { id, body: { until: change.until } });
    case "bot": {
      const { enabled, reason } = change;
      return await callApi("POST /conversations/:id/bot", { id, body: { enabled, reason } });
    }
  }
}

/** Fields that the API will certainly answer. */
function expected(change: ConversationChange, { status }: Conversation): Partial<Conversation> {
  switch (change.type) {
    case "status":
      return { status: change.status, ...noHandoff };
    case "assign":
      return { assigned_to_user_id: change.userId };
    case "stage":
      return { stage: change.stage };
    case "snooze":
      return { snoozed_until: change.until };
    case "bot":
      if (!change.enabled) return { bot_enabled: false, status: "handed_off" };
      return {
        bot_enabled: true,
        status: status === "handed_off" ? "active" : status,
        ...noHandoff,
      };
  }
}

/** Every status that a person can choose ends a handoff, and so does the agent's return. */
const noHandoff = { handoff: null, answered_by_user_id: null };
