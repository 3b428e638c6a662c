import { mostCounted } from "../../core/model/wire.ts";
import { requireUserId } from "../../core/services/accounts/actor.ts";
import { assignConversation } from "../../core/services/conversations/conversation-assignee.ts";
import { listConversations } from "../../core/services/read-models/conversation-list.ts";
import {
  addNote,
  listNotes,
  presentNote,
} from "../../core/services/conversations/conversation-notes.ts";
import { getConversationRow } from "../../core/services/conversations/conversation-records.ts";
import {
  markConversationRead,
  openConversation,
  setBot,
  setConversationStatus,
} from "../../core/services/conversations/conversations.ts";
import {
  presentInboxConversation,
  presentInboxRows,
} from "../../core/services/read-models/inbox.ts";
import { presentMessage } from "../../core/services/conversations/message-records.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Inbox";
const noun = "conversation";

/** The inbox: conversations, as members work them. */
export const inboxRoutes = [
  dashboardRoute("GET /conversations", {
    access: agent,
    tag,
    summary: "List and search conversations, those with the newest message first",
    run: async (tx, { query: { assigned_to: to, ...query }, actor }) => {
      const assignee = to === "me" ? requireUserId(actor) : to === "nobody" ? null : to;
      const filter = { ...query, assigned_to_user_id: assignee };
      const page = await listConversations(tx, filter, mostCounted);
      return { data: await presentInboxRows(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /conversations", {
    access: agent,
    tag,
    summary: "Open the WhatsApp conversation with a phone; its contact is created if missing",
    errors: ["channel_not_connected"],
    run: async (tx, { body }) => {
      const { row, created, initialMessage } = await openConversation(tx, body);
      const message = initialMessage === null ? null : presentMessage(initialMessage);
      const view = await presentInboxConversation(tx, row);
      return { status: created ? 201 : 200, data: { ...view, created, initial_message: message } };
    },
  }),
  dashboardRoute("GET /conversations/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a conversation",
    run: async (tx, { id }) => ({
      data: await presentInboxConversation(tx, await getConversationRow(tx, id)),
    }),
  }),
  dashboardRoute("PATCH /conversations/:id", {
    access: agent,
    tag,
    noun,
    summary: "Set the status; the AI agent stays as it is",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setConversationStatus(tx, id, body.status)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/bot", {
    access: agent,
    tag,
    noun,
    summary: "Turn the AI agent on, or pause it and take over",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setBot(tx, id, body)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/assign", {
    access: agent,
    tag,
    noun,
    summary: "Assign to a member of the account, or to nobody",
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await assignConversation(tx, id, body.user_id)),
    }),
  }),
  dashboardRoute("POST /conversations/:id/read", {
    access: agent,
    tag,
    noun,
    summary: "Mark the customer's messages as seen, up to one of them or all",
    run: async (tx, { id, body }) => {
      await markConversationRead(tx, id, body.up_to_message_id);
      return { data: { id } };
    },
  }),
  dashboardRoute("GET /conversations/:id/notes", {
    access: agent,
    tag,
    noun,
    summary: "Notes of people and what happened, newest first",
    run: async (tx, { id, query }) => {
      const page = await listNotes(tx, id, query);
      return { data: page.rows.map(presentNote), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /conversations/:id/notes", {
    access: agent,
    tag,
    noun,
    summary: "Add a note, which the customer never sees",
    run: async (tx, { id, body }) => {
      const { row, created } = await addNote(tx, id, body);
      return { status: created ? 201 : 200, data: presentNote(row) };
    },
  }),
];
