import { z } from "zod";
import {
  messageListMeta,
  messageListQuery,
  messageSendBody,
  messageView,
} from "../../core/model/message.ts";
import { presentMessage } from "../../core/services/conversations/message-records.ts";
import { retryMessage } from "../../core/services/conversations/message-retry.ts";
import { answerMessages, answerSent } from "../message-answers.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";

const tag = "Inbox";
const noun = "conversation";

/** Messages of the inbox: those of API v1, written by a person. */
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
    run: async (tx, { id, query }) => await answerMessages(tx, id, query),
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
    run: async (tx, { id, body }) => await answerSent(tx, id, body),
  }),
  route({
    method: "POST",
    path: "/messages/:id/retry",
    access: agent,
    tag,
    noun: "message",
    summary: "Send a failed message again, as a new message of the person who asks",
    body: z.strictObject({
      confirm: z
        .boolean()
        .default(false)
        .describe("Needed where the customer may have the message already."),
    }),
    successes: {
      201: { description: "Recorded and queued.", data: messageView },
      200: { description: "The message that was sent again before.", data: messageView },
    },
    errors: ["message_not_failed", "outcome_unknown", "messaging_window_closed"],
    run: async (tx, { id, body }) => {
      const { row, created } = await retryMessage(tx, id, body.confirm);
      return { status: created ? 201 : 200, data: presentMessage(row) };
    },
  }),
];
