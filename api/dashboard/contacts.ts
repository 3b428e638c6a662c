import { presentContactCursor } from "../../core/model/contact-list.ts";
import { mostCounted } from "../../core/model/wire.ts";
import { presentContactCard } from "../../core/services/read-models/contact-card.ts";
import { eraseContact } from "../../core/services/contact-lifecycle/contact-erasure.ts";
import { mergeContacts } from "../../core/services/contact-lifecycle/contact-merge.ts";
import { replaceContactTags } from "../../core/services/contacts/contact-tags.ts";
import { listDuplicates } from "../../core/services/read-models/contact-duplicates.ts";
import {
  listByActivity,
  presentContactRows,
} from "../../core/services/read-models/contact-list.ts";
import { listContactFiles } from "../../core/services/conversations/contact-files.ts";
import { withAssignee } from "../../core/services/read-models/conversation-list.ts";
import { listTimeline } from "../../core/services/read-models/contact-timeline.ts";
import { upsertContact } from "../../core/services/contacts/contact-upserts.ts";
import { getContact, listContacts, updateContact } from "../../core/services/contacts/contacts.ts";
import { readContactVisits } from "../../core/services/widgets/contact-visits.ts";
import { withFileLinks } from "../media/links.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const noun = "contact";
const tag = "Contacts";

/** Contacts, as members manage them. Their changes have the source `panel`. */
export const dashboardContactRoutes = [
  dashboardRoute("GET /contacts", {
    access: agent,
    tag,
    summary: "List and search contacts, newest first or by last activity",
    run: async (tx, { query: { order, cursor, ...query } }) => {
      const { limit, offset, ...filter } = withAssignee(tx, query);
      if (order === undefined) {
        const page = await listContacts(tx, { ...filter, limit, offset }, mostCounted);
        return { data: await presentContactRows(tx, page.rows), meta: pageMetaOf(page, query) };
      }
      const { next, ...page } = await listByActivity(tx, filter, { order, limit, cursor });
      const key = next === null ? null : presentContactCursor(next);
      return {
        data: await presentContactRows(tx, page.rows),
        meta: { ...pageMetaOf(page, query), next: key },
      };
    },
  }),
  dashboardRoute("GET /contacts/duplicates", {
    access: agent,
    tag,
    summary: "List contacts that may be the same person, among the 20,000 last active ones",
    run: async (tx) => {
      const groups = await listDuplicates(tx);
      const rows = await presentContactRows(
        tx,
        groups.flatMap(({ records }) => records),
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const data = groups.map(({ same, records }) => ({
        same,
        contacts: records.flatMap(({ row }) => byId.get(row.id) ?? []),
      }));
      return { data };
    },
  }),
  dashboardRoute("POST /contacts", {
    access: agent,
    tag,
    summary: "Create a contact, or update the one with this phone or email; tags are added",
    errors: ["contact_conflict"],
    run: async (tx, { body }) => {
      const { record, created } = await upsertContact(tx, body);
      return { status: created ? 201 : 200, data: await presentContactCard(tx, record) };
    },
  }),
  dashboardRoute("GET /contacts/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a contact with its identities and conversations",
    run: async (tx, { id }) => ({
      data: await presentContactCard(tx, await getContact(tx, id)),
    }),
  }),
  dashboardRoute("GET /contacts/:id/files", {
    access: agent,
    tag,
    noun,
    summary: "List the files of a contact's conversations, newest first",
    run: async (tx, { id, query }, deps) => {
      const { files, next } = await listContactFiles(tx, id, query);
      return { data: withFileLinks(deps, tx.actor, files), meta: { limit: query.limit, next } };
    },
  }),
  dashboardRoute("GET /contacts/:id/visits", {
    access: agent,
    tag,
    noun,
    summary: "Read the page of a site that a contact is on, and the contact's visits",
    run: async (tx, { id }) => ({ data: await readContactVisits(tx, id) }),
  }),
  dashboardRoute("GET /contacts/:id/timeline", {
    access: agent,
    tag,
    noun,
    summary: "Read what happened with a contact, newest first, and what was told of it to webhooks",
    run: async (tx, { id, query }) => {
      const { rows, next } = await listTimeline(tx, id, query);
      return { data: rows, meta: { limit: query.limit, next } };
    },
  }),
  dashboardRoute("PATCH /contacts/:id", {
    access: agent,
    tag,
    noun,
    summary: "Change a contact's name, email or phone",
    errors: ["contact_conflict", "contact_needs_identifier"],
    run: async (tx, { id, body }) => ({
      data: await presentContactCard(tx, await updateContact(tx, id, body)),
    }),
  }),
  dashboardRoute("PUT /contacts/:id/tags", {
    access: agent,
    tag,
    noun,
    summary: "Give a contact exactly these tags",
    run: async (tx, { id, body }) => {
      const { record } = await replaceContactTags(tx, id, body.tags);
      return { data: await presentContactCard(tx, record) };
    },
  }),
  dashboardRoute("POST /contacts/:id/merge", {
    access: agent,
    tag,
    noun,
    summary: "Merge a contact into another one, which gets all it has; this one is then unknown",
    run: async (tx, { id, body }) => {
      const record = await mergeContacts(tx, id, body.into_contact_id);
      return { data: await presentContactCard(tx, record) };
    },
  }),
  dashboardRoute("DELETE /contacts/:id", {
    access: admin,
    tag,
    noun,
    summary: "Erase a contact and all that is kept of the person; counts in the delivery log stay",
    run: async (tx, { id }) => {
      await eraseContact(tx, id);
      return { data: { id } };
    },
  }),
];
