import { z } from "zod";
import {
  botBody,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
} from "../../core/model/conversation.ts";
import {
  flagInQuery,
  listMeta,
  mostCounted,
  shownListMeta,
  shownPageParameters,
  pageParameters,
  recordId,
  searchInQuery,
} from "../../core/model/wire.ts";
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
import { route } from "../http/route.ts";
import { agent } from "./access.ts";
import {
  inboxConversation,
  inboxRow,
  noteView,
  openedInboxConversation,
} from "../../core/model/views/conversation.ts";
import { noteBody } from "./inputs.ts";
import { shownMetaOf } from "./list-meta.ts";

const tag = "Inbox";
const noun = "conversation";
const opened = { 200: { description: "The conversation as it is now.", data: inboxConversation } };

const inboxQuery = conversationListQuery.extend({
  ...shownPageParameters,
  open: flagInQuery.optional().describe("Conversations that are not resolved."),
  assigned_to: z
    .union([z.literal("me"), z.literal("nobody"), conversationListQuery.shape.contact_id])
    .optional()
    .describe("`me`, `nobody` or the id of a person."),
  unread: flagInQuery.optional(),
  answered: flagInQuery
    .optional()
    .describe("Of those handed off: `true` a person has answered, `false` the customer waits."),
  search: searchInQuery
    .optional()
    .describe("Part of the contact's name, email or phone, or of a recent message."),
});

/** The inbox: conversations, as members work them. */
export const inboxRoutes = [
  route({
    method: "GET",
    path: "/conversations",
    access: agent,
    tag,
    summary: "List and search conversations, those with the newest message first",
    query: inboxQuery,
    successes: { 200: { description: "Rows.", data: z.array(inboxRow), meta: shownListMeta } },
    run: async (tx, { query: { assigned_to: to, ...query }, actor }) => {
      const assignee = to === "me" ? requireUserId(actor) : to === "nobody" ? null : to;
      const filter = { ...query, assigned_to_user_id: assignee };
      const { rows, ...count } = await listConversations(tx, filter, mostCounted);
      return { data: await presentInboxRows(tx, rows), meta: shownMetaOf(count, query) };
    },
  }),
  route({
    method: "POST",
    path: "/conversations",
    access: agent,
    tag,
    summary: "Open the WhatsApp conversation with a phone; its contact is created if missing",
    body: conversationOpenBody,
    successes: {
      200: { description: "There was one, and it is open.", data: openedInboxConversation },
      201: { description: "A new conversation.", data: openedInboxConversation },
    },
    errors: ["channel_not_connected"],
    run: async (tx, { body }) => {
      const { row, created, initialMessage } = await openConversation(tx, body);
      const message = initialMessage === null ? null : presentMessage(initialMessage);
      const view = await presentInboxConversation(tx, row);
      return { status: created ? 201 : 200, data: { ...view, created, initial_message: message } };
    },
  }),
  route({
    method: "GET",
    path: "/conversations/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a conversation",
    successes: opened,
    run: async (tx, { id }) => ({
      data: await presentInboxConversation(tx, await getConversationRow(tx, id)),
    }),
  }),
  route({
    method: "PATCH",
    path: "/conversations/:id",
    access: agent,
    tag,
    noun,
    summary: "Set the status; the AI agent stays as it is",
    body: conversationPatchBody,
    successes: opened,
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setConversationStatus(tx, id, body.status)),
    }),
  }),
  route({
    method: "POST",
    path: "/conversations/:id/bot",
    access: agent,
    tag,
    noun,
    summary: "Turn the AI agent on, or pause it and take over",
    body: botBody,
    successes: opened,
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await setBot(tx, id, body)),
    }),
  }),
  route({
    method: "POST",
    path: "/conversations/:id/assign",
    access: agent,
    tag,
    noun,
    summary: "Assign to a member of the account, or to nobody",
    body: z.strictObject({ user_id: recordId.nullable() }),
    successes: opened,
    run: async (tx, { id, body }) => ({
      data: await presentInboxConversation(tx, await assignConversation(tx, id, body.user_id)),
    }),
  }),
  route({
    method: "POST",
    path: "/conversations/:id/read",
    access: agent,
    tag,
    noun,
    summary: "Mark the customer's messages as seen, up to one of them or all",
    body: z.strictObject({ up_to_message_id: recordId.optional() }),
    successes: { 200: { description: "Seen.", data: z.strictObject({ id: recordId }) } },
    run: async (tx, { id, body }) => {
      await markConversationRead(tx, id, body.up_to_message_id);
      return { data: { id } };
    },
  }),
  route({
    method: "GET",
    path: "/conversations/:id/notes",
    access: agent,
    tag,
    noun,
    summary: "Notes of people and what happened, newest first",
    query: z.object(pageParameters),
    successes: { 200: { description: "Rows.", data: z.array(noteView), meta: listMeta } },
    run: async (tx, { id, query }) => {
      const { rows, total } = await listNotes(tx, id, query);
      return { data: rows.map(presentNote), meta: { total, ...query } };
    },
  }),
  route({
    method: "POST",
    path: "/conversations/:id/notes",
    access: agent,
    tag,
    noun,
    summary: "Add a note, which the customer never sees",
    body: noteBody,
    successes: {
      201: { description: "Added.", data: noteView },
      200: { description: "Known by its external_id.", data: noteView },
    },
    run: async (tx, { id, body }) => {
      const { row, created } = await addNote(tx, id, body);
      return { status: created ? 201 : 200, data: presentNote(row) };
    },
  }),
];
