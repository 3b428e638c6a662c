import {
  presentMessage,
  presentMessages,
} from "../../core/services/conversations/message-views.ts";
import { retryMessage } from "../../core/services/conversations/message-retry.ts";
import {
  listMessagesAt,
  searchMessages,
} from "../../core/services/conversations/message-places.ts";
import { sendMessage } from "../../core/services/conversations/messages.ts";
import { withLinks } from "../media/links.ts";
import { agent } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Inbox";
const noun = "conversation";

/** Messages of the inbox: those of API v1, written by a person. */
export const inboxMessageRoutes = [
  dashboardRoute("GET /conversations/:id/messages", {
    access: agent,
    tag,
    noun,
    summary: "Read a conversation's messages, newest first",
    run: async (tx, { id, query }, deps) => {
      const page = await listMessagesAt(tx, id, query);
      const views = await presentMessages(tx, page.rows);
      const data = views.map((view) => withLinks(deps, tx.actor, view));
      return { data, meta: { ...logMetaOf(page, query), previous: page.previous } };
    },
  }),
  dashboardRoute("GET /conversations/:id/messages/search", {
    access: agent,
    tag,
    noun,
    summary: "Find the messages of a conversation that contain a text, newest first",
    run: async (tx, { id, query }) => {
      const { rows, next } = await searchMessages(tx, id, query);
      const data = rows.map((row) => ({ id: row.id, created_at: row.createdAt.toISOString() }));
      return { data, meta: { limit: query.limit, next } };
    },
  }),
  dashboardRoute("POST /conversations/:id/messages", {
    access: agent,
    tag,
    noun,
    summary: "Reply as a person, which pauses the AI agent unless the account has it otherwise",
    errors: [
      "messaging_window_closed",
      "message_too_long",
      "upload_unavailable",
      "media_too_large",
      "media_type_refused",
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
  dashboardRoute("POST /messages/:id/retry", {
    access: agent,
    tag,
    noun: "message",
    summary: "Send a failed message again, as a new message of the person who asks",
    errors: [
      "message_not_failed",
      "outcome_unknown",
      "messaging_window_closed",
      "message_too_long",
      "upload_unavailable",
      "media_too_large",
      "media_type_refused",
      "template_unavailable",
      "invalid_template_params",
    ],
    run: async (tx, { id, body }, deps) => {
      const { row, created } = await retryMessage(tx, id, body.confirm);
      return {
        status: created ? 201 : 200,
        data: withLinks(deps, tx.actor, await presentMessage(tx, row)),
      };
    },
  }),
];
