import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import {
  contactListQuery,
  contactPatchBody,
  contactUpsertBody,
  contactView,
} from "../../core/model/contact.ts";
import { listMeta } from "../../core/model/page.ts";
import { presentContact } from "../../core/services/contacts/contact-records.ts";
import {
  upsertContact,
  upsertContacts,
  type UpsertedContact,
} from "../../core/services/contacts/contact-upserts.ts";
import { getContact, listContacts, updateContact } from "../../core/services/contacts/contacts.ts";
import { route } from "../http/route.ts";

const read = { kind: "scope", scope: "contacts:read" } as const;
const write = { kind: "scope", scope: "contacts:write" } as const;

/** Contacts of API v1. Rules C18 to C20. */
export const contactRoutes = [
  route({
    method: "GET",
    path: "/contacts",
    access: read,
    tag: "Contacts",
    summary: "List and search contacts, newest first",
    query: contactListQuery,
    successes: {
      200: { description: "The contacts.", data: z.array(contactView), meta: listMeta },
    },
    run: async (tx, { query }) => {
      const { rows, total } = await listContacts(tx, query);
      const { limit, offset } = query;
      return { data: rows.map(presentContact), meta: { total, limit, offset } };
    },
  }),
  route({
    method: "POST",
    path: "/contacts",
    access: write,
    tag: "Contacts",
    summary: "Create a contact, or update the one with this phone or email",
    body: contactUpsertBody,
    successes: {
      200: { description: "The contact was there and has what was sent.", data: contactView },
      201: { description: "The contact was created.", data: contactView },
    },
    errors: ["contact_conflict"],
    run: async (tx, { body }) => presentUpsert(await upsertContact(tx, body)),
    runTogether: async (tx, calls) => {
      const outcomes = await upsertContacts(
        tx,
        calls.map(({ body }) => body),
      );
      return outcomes.map((outcome) =>
        outcome === null || outcome instanceof AppError ? outcome : presentUpsert(outcome),
      );
    },
  }),
  route({
    method: "GET",
    path: "/contacts/:id",
    access: read,
    tag: "Contacts",
    summary: "Read a contact",
    noun: "contact",
    successes: { 200: { description: "The contact.", data: contactView } },
    run: async (tx, { id }) => ({ data: presentContact(await getContact(tx, id)) }),
  }),
  route({
    method: "PATCH",
    path: "/contacts/:id",
    access: write,
    tag: "Contacts",
    summary: "Change a contact's name, email or phone",
    noun: "contact",
    body: contactPatchBody,
    successes: { 200: { description: "The contact as it is now.", data: contactView } },
    errors: ["contact_conflict", "contact_needs_identifier"],
    run: async (tx, { id, body }) => ({ data: presentContact(await updateContact(tx, id, body)) }),
  }),
];

function presentUpsert({ record, created }: UpsertedContact) {
  return { status: created ? 201 : 200, data: presentContact(record) };
}
