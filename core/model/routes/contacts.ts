import { z } from "zod";
import {
  contactListQuery,
  contactPatchBody,
  contactUpsertBody,
  contactView,
  tagInput,
} from "../contact.ts";
import { pageParameters, recordId, shownPageParameters } from "../wire.ts";
import { contactCard, timelineEntry, timelineMeta } from "../views/contact.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

const tags = z.array(tagInput);

/** Shapes of the routes in `api/dashboard/contacts.ts`. */
export const contactsShapes = {
  "GET /contacts": {
    query: contactListQuery.extend({
      ...shownPageParameters,
      tag: tagInput.optional().describe("Those with this tag, in whatever case it is written."),
    }),
    ...pageOf(contactView),
  },
  "POST /contacts": {
    body: contactUpsertBody.safeExtend({ tags: tags.optional() }),
    answers: { 200: contactCard, 201: contactCard },
  },
  "GET /contacts/:id": { answers: { 200: contactCard } },
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
