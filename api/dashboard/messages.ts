import { z } from "zod";
import {
  messageListMeta,
  messageListQuery,
  messageSendBody,
  messageView,
} from "../../core/model/message.ts";
import { presentMessage } from "../../core/services/message-records.ts";
import { listMessages, sendMessage } from "../../core/services/messages.ts";
import { route } from "../route.ts";
import { agent } from "./access.ts";

const tag = "Inbox";
const noun = "conversation";

/** Messages of the inbox: what API v1 has, written by a person. */
export const inboxMessageRoutes = [
  route({
    method: "GET",
    path: "/conversations/:id/messages",
    access: agent,
    tag,
    noun,
    summary: "Read a conversation's messages, newest first",
    query: messageListQuery,
    successes: { 200: { description: "Rows.", data: z.array(messageView), meta: messageListMeta } },
    run: async (tx, { id, query }) => {
      const { rows, total, nextBeforeId } = await listMessages(tx, id, query);
      const meta = { total, limit: query.limit, next_before_id: nextBeforeId };
      return { data: rows.map(presentMessage), meta };
    },
  }),
  route({
    method: "POST",
    path: "/conversations/:id/messages",
    access: agent,
    tag,
    noun,
    summary: "Reply as a person, which pauses the AI agent unless the account has it otherwise",
    body: messageSendBody,
    successes: {
      201: { description: "Recorded and queued.", data: messageView },
      200: { description: "The message that has this `external_id`.", data: messageView },
    },
    errors: ["messaging_window_closed"],
    run: async (tx, { id, body }) => {
      const { row, created } = await sendMessage(tx, id, body);
      return { status: created ? 201 : 200, data: presentMessage(row) };
    },
  }),
];
