import { z } from "zod";
import {
  botBody,
  botView,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
  conversationRow,
  conversationView,
  openedConversationView,
} from "../../core/model/conversation.ts";
import { listMeta } from "../../core/model/page.ts";
import { listConversations } from "../../core/services/read-models/conversation-list.ts";
import { getConversationRow } from "../../core/services/conversation-records/conversation-records.ts";
import {
  presentConversation,
  presentConversationRow,
} from "../../core/services/conversations/conversation-views.ts";
import {
  openConversation,
  setBot,
  setConversationStatus,
  type OpenedConversation,
} from "../../core/services/conversations/conversations.ts";
import { presentMessage } from "../../core/services/conversations/message-views.ts";
import type { Tx } from "../../db/transaction.ts";
import { route } from "../http/route.ts";

const read = { kind: "scope", scope: "conversations:read" } as const;
const write = { kind: "scope", scope: "conversations:write" } as const;
const manageBot = { kind: "scope", scope: "bot:manage" } as const;
const tag = "Conversations";
const noun = "conversation";

/** Conversations of API v1. Rules C21 to C23, and C29. */
export const conversationRoutes = [
  route({
    method: "GET",
    path: "/conversations",
    access: read,
    tag,
    summary: "List conversations, those with the newest message first",
    query: conversationListQuery,
    successes: {
      200: { description: "The conversations.", data: z.array(conversationRow), meta: listMeta },
    },
    run: async (tx, { query }) => {
      const { rows, total } = await listConversations(tx, query);
      const { limit, offset } = query;
      return { data: rows.map(presentConversationRow), meta: { total, limit, offset } };
    },
  }),
  route({
    method: "POST",
    path: "/conversations",
    access: write,
    tag,
    summary: "Open the WhatsApp conversation with a phone; its contact is created if missing",
    body: conversationOpenBody,
    successes: {
      200: { description: "There was one, and it is open.", data: openedConversationView },
      201: { description: "A new conversation.", data: openedConversationView },
    },
    errors: ["channel_not_connected", "channel_account_not_found"],
    run: async (tx, { body }) => {
      const opened = await openConversation(tx, body);
      return { status: opened.created ? 201 : 200, data: await presentOpened(tx, opened) };
    },
  }),
  route({
    method: "GET",
    path: "/conversations/:id",
    access: read,
    tag,
    noun,
    summary: "Read a conversation",
    successes: { 200: { description: "The conversation.", data: conversationView } },
    run: async (tx, { id }) => ({
      data: await presentConversation(tx, await getConversationRow(tx, id)),
    }),
  }),
  route({
    method: "PATCH",
    path: "/conversations/:id",
    access: write,
    tag,
    noun,
    summary: "Set the status; the AI agent stays as it is",
    body: conversationPatchBody,
    successes: { 200: { description: "The conversation as it is now.", data: conversationView } },
    run: async (tx, { id, body }) => ({
      data: await presentConversation(tx, await setConversationStatus(tx, id, body.status)),
    }),
  }),
  route({
    method: "POST",
    path: "/conversations/:id/bot",
    access: manageBot,
    tag,
    noun,
    summary: "Turn the AI agent on, or pause it and hand the conversation to people",
    body: botBody,
    successes: {
      200: { description: "How the AI agent stands.", data: botView },
    },
    run: async (tx, { id, body }) => {
      const { botEnabled } = await setBot(tx, id, body);
      return { data: { conversation_id: id, bot_enabled: botEnabled } };
    },
  }),
];

async function presentOpened(tx: Tx, { row, created, initialMessage }: OpenedConversation) {
  return {
    ...(await presentConversation(tx, row)),
    created,
    initial_message: initialMessage === null ? null : await presentMessage(tx, initialMessage),
  };
}
