import { z } from "zod";
import {
  botBody,
  conversationListQuery,
  conversationOpenBody,
  conversationPatchBody,
} from "../conversation.ts";
import { bulkBody, bulkResult } from "../bulk-action.ts";
import { tagInput } from "../contact.ts";
import { inboxOrders, inboxViews, parseQueueCursor } from "../inbox-queue.ts";
import { pageMeta } from "../page.ts";
import { noteBody } from "./inputs.ts";
import {
  cursorInQuery,
  flagInQuery,
  idParameter,
  shownPageParameters,
  pageParameters,
  momentInput,
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

const { channel, contact_id: idInQuery } = conversationListQuery.shape;

/** Maximum number of contacts whose conversations are read at once. */
const maxContacts = 100;

/** Ids with commas between them, such as `3,8`. */
const contactIdsInQuery = z
  .string("Send this parameter once.")
  .regex(/^[1-9]\d{0,14}(?:,[1-9]\d{0,14})*$/u, "Send ids with commas between them.")
  .transform((text) => text.split(",").map(Number))
  .refine((ids) => ids.length <= maxContacts, `Name at most ${maxContacts} contacts.`);

/** Filters that the inbox offers beside its views. */
const filterParameters = {
  status: conversationListQuery.shape.status,
  channel,
  assigned_to: z
    .union([z.literal("me"), z.literal("nobody"), idInQuery])
    .optional()
    .describe("`me`, `nobody` or the id of a person."),
  stage_id: idParameter.optional().describe("Conversations of contacts in this stage."),
  tag: tagInput.optional().describe("Conversations of contacts with this tag."),
  unread: flagInQuery.optional(),
  answered: flagInQuery
    .optional()
    .describe("Of those handed off: `true` a person has answered, `false` the customer waits."),
  search: searchInQuery
    .optional()
    .describe("Part of the contact's name, email or phone, or of a recent message."),
};

const viewParameters = {
  view: z
    .enum(inboxViews, `Use one of ${inboxViews.join(", ")}.`)
    .describe("A view of the inbox, whose list is paged by `cursor`."),
  order: z
    .enum(inboxOrders, `Use one of ${inboxOrders.join(", ")}.`)
    .optional()
    .describe("`queue`, the view's own order, or `newest`."),
};

const inboxQuery = conversationListQuery
  .extend({
    ...shownPageParameters,
    ...filterParameters,
    view: viewParameters.view.optional(),
    order: viewParameters.order,
    cursor: cursorInQuery(parseQueueCursor)
      .optional()
      .describe("`next` of the page before, of a view."),
    contact_ids: contactIdsInQuery
      .optional()
      .describe(`Conversations of up to ${maxContacts} contacts, such as \`3,8\`.`),
    open: flagInQuery.optional().describe("Conversations that are not resolved."),
  })
  .refine(({ view, offset }) => view === undefined || offset === 0, {
    path: ["offset"],
    error: "Page a view by `cursor`.",
  })
  .refine(
    ({ view, order, cursor }) =>
      view !== undefined || (order === undefined && cursor === undefined),
    { path: ["view"], error: "Name the view that this order or cursor is of." },
  );

const countView = z.strictObject({
  total: z.int().min(0),
  total_at_least: z.boolean().describe("There are more than were counted."),
});

/** Shapes of the routes in `api/dashboard/conversations.ts`. */
export const conversationsShapes = {
  "GET /conversations": {
    query: inboxQuery,
    answers: { 200: z.array(inboxRow) },
    meta: pageMeta.extend({
      next: z
        .string()
        .nullable()
        .optional()
        .describe("`cursor` of the next page of a view; null on the last page."),
    }),
  },
  "GET /conversations/counts": {
    answers: {
      200: z.strictObject({
        views: z.record(z.enum(inboxViews), countView),
        saved: z.array(countView.extend({ id: recordId })).describe("The first 50, by name."),
      }),
    },
  },
  "GET /conversations/:id/next": {
    query: z.object({
      ...viewParameters,
      view: viewParameters.view.default("needs_answer"),
      ...filterParameters,
    }),
    answers: { 200: z.strictObject({ id: recordId.nullable() }) },
  },
  "POST /conversations": {
    body: conversationOpenBody,
    answers: { 200: openedInboxConversation, 201: openedInboxConversation },
  },
  "POST /conversations/bulk": { body: bulkBody, answers: { 200: z.array(bulkResult) } },
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
  "POST /conversations/:id/unread": { answers: { 200: idView } },
  "POST /conversations/:id/snooze": {
    body: z.strictObject({ until: momentInput }),
    answers: { 200: inboxConversation },
  },
  "DELETE /conversations/:id/snooze": { answers: { 200: inboxConversation } },
  "GET /conversations/:id/notes": {
    query: z.object(pageParameters),
    ...pageOf(noteView),
  },
  "POST /conversations/:id/notes": { body: noteBody, answers: { 201: noteView, 200: noteView } },
} satisfies RouteShapes;
