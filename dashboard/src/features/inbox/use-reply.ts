import { useMutation, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import { newToken } from "../../lib/token.ts";
import { useSession } from "../../lib/session.ts";
import {
  addNote,
  messagesKey,
  sendReply,
  type Conversation,
  type MessagePage,
  type Reply,
} from "./api.ts";

type Pages = InfiniteData<MessagePage>;

/** Sends replies; each stands in the thread at once, and goes again with the reason where it is refused. */
export function useReply(conversation: Conversation) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const { user } = useSession();
  const key = messagesKey(conversation.id);
  const show = (change: (rows: MessageView[]) => MessageView[]): void => {
    client.setQueryData<Pages>(key, (pages) => changeNewest(pages, change));
  };
  return useMutation({
    // One after the other, or the customer may read them in another order.
    scope: { id: `reply-${conversation.id}` },
    mutationFn: async (reply: Reply) => await sendReply(conversation.id, reply),
    onMutate: async (reply) => {
      await client.cancelQueries({ queryKey: key });
      // One that goes again may have arrived the first time, and stand here already.
      const isThere = (row: MessageView): boolean => row.external_id === reply.external_id;
      const expected = expectedMessage(conversation, user.id, reply);
      show((rows) => (rows.some(isThere) ? rows : [expected, ...rows]));
    },
    onSuccess: (message, { external_id }) =>
      show((rows) => rows.map((row) => (row.external_id === external_id ? message : row))),
    onError: (error, { external_id }) => {
      show((rows) => rows.filter((row) => row.external_id !== external_id));
      tellFailure(t("inbox.not_sent"), error);
    },
    onSettled: () => {
      // Not waited for: what was refused is told at once.
      void client.invalidateQueries({ queryKey: liveKeys.conversation(conversation.id) });
    },
  });
}

/** Adds notes. */
export function useAddNote(id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (text: string) => await addNote(id, text),
    onError: (error) => tellFailure(t("inbox.not_noted"), error),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: liveKeys.conversation(id) });
    },
  });
}

function changeNewest(
  data: Pages | undefined,
  change: (rows: MessageView[]) => MessageView[],
): Pages | undefined {
  const [first, ...older] = data?.pages ?? [];
  if (data === undefined || first === undefined) return data;
  return { ...data, pages: [{ ...first, data: change(first.data) }, ...older] };
}

let lastExpected = 0;

function expectedMessage(
  { id, contact_id, channel }: Conversation,
  userId: number,
  reply: Reply,
): MessageView {
  return {
    id: (lastExpected -= 1),
    conversation_id: id,
    contact_id,
    direction: "outbound",
    channel,
    type: "content" in reply ? "text" : "template",
    content: "content" in reply ? reply.content : null,
    has_media: false,
    media: null,
    reply_to_message_id: null,
    sender_type: "user",
    sender_user_id: userId,
    sent_by_bot: false,
    status: "queued",
    error: null,
    external_id: reply.external_id,
    created_at: new Date().toISOString(),
    sent_at: null,
    delivered_at: null,
    read_at: null,
  };
}

/** A reply of words alone. */
export type TextReply = Extract<Reply, { content: string }>;

/** A reply with a new id of its own. */
export function textReply(content: string): TextReply {
  return { external_id: newToken(), content };
}
