import { z } from "zod";
import {
  botBody,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
} from "../conversation.ts";
import { noteBody } from "./inputs.ts";
import {
  flagInQuery,
  shownPageParameters,
  pageParameters,
  recordId,
  searchInQuery,
} from "../wire.ts";
import {
  inboxConversation,
  inboxRow,
  noteView,
  openedInboxConversation,
} from "../views/conversation.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

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

/** Shapes of the routes in `api/dashboard/conversations.ts`. */
export const conversationsShapes = {
  "GET /conversations": {
    query: inboxQuery,
    ...pageOf(inboxRow),
  },
  "POST /conversations": {
    body: conversationOpenBody,
    answers: { 200: openedInboxConversation, 201: openedInboxConversation },
  },
  "GET /conversations/:id": { answers: { 200: inboxConversation } },
  "PATCH /conversations/:id": { body: conversationPatchBody, answers: { 200: inboxConversation } },
  "POST /conversations/:id/bot": { body: botBody, answers: { 200: inboxConversation } },
  "POST /conversations/:id/assign": {
    body: z.strictObject({ user_id: recordId.nullable() }),
    answers: { 200: inboxConversation },
  },
  "POST /conversations/:id/read": {
    body: z.strictObject({ up_to_message_id: recordId.optional() }),
    answers: { 200: idView },
  },
  "GET /conversations/:id/notes": {
    query: z.object(pageParameters),
    ...pageOf(noteView),
  },
  "POST /conversations/:id/notes": { body: noteBody, answers: { 201: noteView, 200: noteView } },
} satisfies RouteShapes;
