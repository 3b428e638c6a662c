import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { addNote, sendReply, type Conversation, type NewNote, type Reply } from "./api.ts";

/** Mutation key of the replies of a conversation. */
function replyKey(id: number) {
  return ["reply", id];
}

interface Failure {
  error: unknown;
}

/** Last failure per conversation, and the failure that was known when a reply was written. */
const lastFailures = new Map<number, Failure>();
const knownFailures = new WeakMap<Reply, Failure>();

/**
 * Sends replies. Each reply appears in the thread at once and disappears with the reason where it
 * is refused. The loaded messages stay unchanged: a read that began before the reply was stored
 * would drop it again. After a failure the replies behind it fail too, because they would overtake
 * it.
 */
export function useReply(conversation: Conversation) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const { user } = useSession();
  return useMutation({
    mutationKey: replyKey(conversation.id),
    // One request after another, or the customer may receive them in another order.
    scope: { id: `reply-${conversation.id}` },
    mutationFn: async (reply: Reply) => {
      const failure = lastFailures.get(conversation.id);
      if (failure !== undefined && failure !== knownFailures.get(reply)) throw failure.error;
      return await sendReply(conversation.id, reply);
    },
    onMutate: (reply) => {
      const failure = lastFailures.get(conversation.id);
      if (failure !== undefined) knownFailures.set(reply, failure);
      return expectedMessage(conversation, user.id, reply);
    },
    onError: (error) => {
      lastFailures.set(conversation.id, { error });
      tellFailure(t("inbox.not_sent"), error);
    },
    onSettled: () => {
      // Not awaited, so that a refusal appears at once.
      void client.invalidateQueries({ queryKey: liveKeys.conversation(conversation.id) });
    },
  });
}

/** Replies that are being sent or were just stored, and are not in `rows` yet; newest first. */
export function useSentReplies(id: number, rows: MessageView[]): MessageView[] {
  const sent = useMutationState({
    filters: { mutationKey: replyKey(id) },
    select: ({ state: { status, data, context } }) =>
      status === "error" ? undefined : ((data ?? context) as MessageView | undefined),
  });
  // A retried reply may have arrived the first time.
  const known = new Set(rows.map((row) => row.external_id));
  return sent
    .flatMap((one) => (one === undefined || known.has(one.external_id) ? [] : [one]))
    .toReversed();
}

/** Adds notes. */
export function useAddNote(id: number) {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    scope: { id: `note-${id}` },
    mutationFn: async (note: NewNote) => await addNote(id, note),
    onError: (error) => tellFailure(t("inbox.not_noted"), error),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: liveKeys.conversation(id) });
    },
  });
}

let lastExpected = 0;

type ExpectedContent = Pick<
  MessageView,
  "type" | "content" | "has_media" | "attachments" | "interactive"
>;

function expectedContent(reply: Reply): ExpectedContent {
  const none = { has_media: false, attachments: [], interactive: null };
  if ("options" in reply) {
    const { content, interactive } = reply.options.shown;
    return { ...none, type: "interactive", content, interactive: { ...interactive } };
  }
  if (!("file" in reply)) {
    const isText = "content" in reply;
    const content = isText ? reply.content : null;
    return { ...none, type: isText ? "text" : "template", content };
  }
  const { type, content = null, shown } = reply.file;
  const file = {
    id: null,
    kind: type,
    state: "pending" as const,
    mime_type: shown.type,
    size: shown.size,
    filename: shown.name,
    voice: false,
    url: null,
    thumbnail_url: null,
  };
  return { type, content, has_media: true, attachments: [file], interactive: null };
}

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
    ...expectedContent(reply),
    media: null,
    reactions: [],
    referral: null,
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
    edited_at: null,
    deleted_at: null,
  };
}
