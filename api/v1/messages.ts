import { z } from "zod";
import {
  messageListMeta,
  messageListQuery,
  messageSendBody,
  messageView,
} from "../../core/model/message.ts";
import {
  presentMessage,
  presentMessages,
} from "../../core/services/conversations/message-views.ts";
import { listMessages, sendMessage } from "../../core/services/conversations/messages.ts";
import { withLinks } from "../media/links.ts";
import { route } from "../http/route.ts";

const tag = "Messages";
const noun = "conversation";

/** Messages of API v1. Rule C24. */
export const messageRoutes = [
  route({
    method: "GET",
    path: "/conversations/:id/messages",
    access: { kind: "scope", scope: "conversations:read" },
    tag,
    noun,
    summary: "Read a conversation's messages, newest first",
    query: messageListQuery,
    successes: {
      200: { description: "The messages.", data: z.array(messageView), meta: messageListMeta },
    },
    run: async (tx, { id, query }, deps) => {
      const { rows, total, next } = await listMessages(tx, id, query);
      const meta = { total, limit: query.limit, next_before_id: next };
      const views = await presentMessages(tx, rows);
      return { data: views.map((view) => withLinks(deps, tx.actor, view)), meta };
    },
  }),
  route({
    method: "POST",
    path: "/conversations/:id/messages",
    access: { kind: "scope", scope: "conversations:write" },
    tag,
    noun,
    summary: "Send a message; it is recorded and queued, its status tells what came of it",
    body: messageSendBody,
    successes: {
      201: { description: "Recorded and queued.", data: messageView },
      200: { description: "The message that has this `external_id`.", data: messageView },
    },
    errors: [
      "messaging_window_closed",
      "message_too_long",
      "template_unavailable",
      "invalid_template_params",
    ],
    run: async (tx, { id, body }, deps) => {
      const { row, created } = await sendMessage(tx, id, body);
      return {
        status: created ? 201 : 200,
        data: withLinks(deps, tx.actor, await presentMessage(tx, row)),
      };
    },
  }),
];
