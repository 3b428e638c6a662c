import { z } from "zod";
import { contactFilesMeta, contactFilesQuery, contactFileView } from "../contact-files.ts";
import { contactListQuery, contactPatchBody, contactUpsertBody, tagInput } from "../contact.ts";
import { bulkResult } from "../bulk-action.ts";
import { contactBulkBody, contactBulkEraseBody } from "../contact-bulk.ts";
import { contactCursorInQuery, contactOrders } from "../contact-list.ts";
import { conversationListQuery } from "../conversation.ts";
import { pageMeta } from "../page.ts";
import { contactVisitsView } from "../visits.ts";
import { idParameter, pageParameters, recordId, shownPageParameters } from "../wire.ts";
import {
  contactCard,
  contactRow,
  duplicateView,
  timelineEntry,
  timelineMeta,
} from "../views/contact.ts";
import { idView, type RouteShapes } from "./shape.ts";

const tags = z.array(tagInput);

/** Shapes of the routes in `api/dashboard/contacts.ts`. */
export const contactsShapes = {
  "GET /contacts": {
    query: contactListQuery
      .extend({
        ...shownPageParameters,
        tag: tagInput.optional().describe("Those with this tag, in whatever case it is written."),
        stage_id: idParameter.optional().describe("Contacts in this stage."),
        channel: conversationListQuery.shape.channel.describe(
          "Contacts with a conversation on this channel.",
        ),
        assigned_to: z
          .union([z.literal("me"), z.literal("nobody"), idParameter])
          .optional()
          .describe("`me`, `nobody` or the id of a person, of any of their conversations."),
        order: z
          .enum(contactOrders, `Use one of ${contactOrders.join(", ")}.`)
          .optional()
          .describe("By last activity, paged by `cursor`; the newest contact first without it."),
        cursor: contactCursorInQuery.optional().describe("`next` of the page before."),
      })
      .refine(({ order, offset }) => order === undefined || offset === 0, {
        path: ["offset"],
        error: "Page this order by `cursor`.",
      })
      .refine(({ order, cursor }) => order !== undefined || cursor === undefined, {
        path: ["order"],
        error: "Name the order that this cursor is of.",
      }),
    answers: { 200: z.array(contactRow) },
    meta: pageMeta.extend({
      next: z
        .string()
        .nullable()
        .optional()
        .describe("`cursor` of the next page of an order; null on the last page."),
    }),
  },
  "GET /contacts/duplicates": { answers: { 200: z.array(duplicateView) } },
  "POST /contacts/bulk": { body: contactBulkBody, answers: { 200: z.array(bulkResult) } },
  "POST /contacts/bulk/erase": {
    body: contactBulkEraseBody,
    answers: { 200: z.array(bulkResult) },
  },
  "POST /contacts": {
    body: contactUpsertBody.safeExtend({ tags: tags.optional() }),
    answers: { 200: contactCard, 201: contactCard },
  },
  "GET /contacts/:id": { answers: { 200: contactCard } },
  "GET /contacts/:id/files": {
    query: contactFilesQuery,
    answers: { 200: z.array(contactFileView) },
    meta: contactFilesMeta,
  },
  "GET /contacts/:id/visits": { answers: { 200: contactVisitsView } },
  "GET /contacts/:id/timeline": {
    query: z.object({
      limit: pageParameters.limit,
      before: z.uuid().optional().describe("Events older than this one."),
    }),
    answers: { 200: z.array(timelineEntry) },
    meta: timelineMeta,
  },
  "PATCH /contacts/:id": { body: contactPatchBody, answers: { 200: contactCard } },
  "PUT /contacts/:id/tags": { body: z.strictObject({ tags }), answers: { 200: contactCard } },
  "POST /contacts/:id/merge": {
    body: z.strictObject({ into_contact_id: recordId }),
    answers: { 200: contactCard },
  },
  "DELETE /contacts/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
