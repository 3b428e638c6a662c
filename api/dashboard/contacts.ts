import { z } from "zod";
import {
  contactListQuery,
  contactPatchBody,
  contactUpsertBody,
  contactView,
  tagInput,
} from "../../core/model/contact.ts";
import {
  mostCounted,
  pageParameters,
  recordId,
  shownListMeta,
  shownPageParameters,
} from "../../core/model/wire.ts";
import { presentContactCard } from "../../core/services/read-models/contact-card.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { mergeContacts } from "../../core/services/contact-lifecycle/contact-merge.ts";
import { presentContact } from "../../core/services/contacts/contact-records.ts";
import { replaceContactTags } from "../../core/services/contacts/contact-tags.ts";
import { listTimeline } from "../../core/services/read-models/contact-timeline.ts";
import {
  getContact,
  listContacts,
  updateContact,
  upsertContact,
} from "../../core/services/contacts/contacts.ts";
import { route } from "../http/route.ts";
import { admin, agent } from "./access.ts";
import { shownMetaOf } from "./list-meta.ts";
import { contactCard, timelineEntry, timelineMeta } from "../../core/model/views/contact.ts";

const noun = "contact";
const tag = "Contacts";
const tags = z.array(tagInput);
const contactResponse = { 200: { description: "The contact as it is now.", data: contactCard } };

/** Contacts, as members manage them. Their changes have the source `panel`. */
export const dashboardContactRoutes = [
  route({
    method: "GET",
    path: "/contacts",
    access: agent,
    tag,
    summary: "List and search contacts, newest first",
    query: contactListQuery.extend({
      ...shownPageParameters,
      tag: tagInput.optional().describe("Those with this tag, in whatever case it is written."),
    }),
    successes: { 200: { description: "Rows.", data: z.array(contactView), meta: shownListMeta } },
    run: async (tx, { query }) => {
      const { records, ...count } = await listContacts(tx, query, mostCounted);
      return { data: records.map(presentContact), meta: shownMetaOf(count, query) };
    },
  }),
  route({
    method: "POST",
    path: "/contacts",
    access: agent,
    tag,
    summary: "Create a contact, or update the one with this phone or email; tags are added",
    body: contactUpsertBody.safeExtend({ tags: tags.optional() }),
    successes: {
      200: { description: "The contact was there and has what was sent.", data: contactCard },
      201: { description: "The contact was created.", data: contactCard },
    },
    errors: ["contact_conflict"],
    run: async (tx, { body }) => {
      const { record, created } = await upsertContact(tx, body);
      return { status: created ? 201 : 200, data: await presentContactCard(tx, record) };
    },
  }),
  route({
    method: "GET",
    path: "/contacts/:id",
    access: agent,
    tag,
    noun,
    summary: "Read a contact with its identities and conversations",
    successes: { 200: { description: "The contact.", data: contactCard } },
    run: async (tx, { id }) => ({
      data: await presentContactCard(tx, await getContact(tx, id)),
    }),
  }),
  route({
    method: "GET",
    path: "/contacts/:id/timeline",
    access: agent,
    tag,
    noun,
    summary: "Read what happened with a contact, newest first, and what was told of it to webhooks",
    query: z.object({
      limit: pageParameters.limit,
      before: z.uuid().optional().describe("Events older than this one."),
    }),
    successes: { 200: { description: "Rows.", data: z.array(timelineEntry), meta: timelineMeta } },
    run: async (tx, { id, query }) => {
      const { entries, nextBefore } = await listTimeline(tx, id, query);
      return { data: entries, meta: { limit: query.limit, next_before: nextBefore } };
    },
  }),
  route({
    method: "PATCH",
    path: "/contacts/:id",
    access: agent,
    tag,
    noun,
    summary: "Change a contact's name, email or phone",
    body: contactPatchBody,
    successes: contactResponse,
    errors: ["contact_conflict", "contact_needs_identifier"],
    run: async (tx, { id, body }) => ({
      data: await presentContactCard(tx, await updateContact(tx, id, body)),
    }),
  }),
  route({
    method: "PUT",
    path: "/contacts/:id/tags",
    access: agent,
    tag,
    noun,
    summary: "Give a contact exactly these tags",
    body: z.strictObject({ tags }),
    successes: contactResponse,
    run: async (tx, { id, body }) => {
      const { record } = await replaceContactTags(tx, id, body.tags);
      return { data: await presentContactCard(tx, record) };
    },
  }),
  route({
    method: "POST",
    path: "/contacts/:id/merge",
    access: agent,
    tag,
    noun,
    summary: "Merge a contact into another one, which gets all it has; this one is then unknown",
    body: z.strictObject({ into_contact_id: recordId }),
    successes: { 200: { description: "The contact that stays.", data: contactCard } },
    run: async (tx, { id, body }) => {
      const record = await mergeContacts(tx, id, body.into_contact_id);
      return { data: await presentContactCard(tx, record) };
    },
  }),
  route({
    method: "DELETE",
    path: "/contacts/:id",
    access: admin,
    tag,
    noun,
    summary: "Erase a contact and all that is kept of the person; counts in the delivery log stay",
    successes: { 200: { description: "Erased.", data: z.strictObject({ id: recordId }) } },
    run: async (tx, { id }) => {
      await eraseContact(tx, id);
      return { data: { id } };
    },
  }),
];
