import { z } from "zod";
import { contactFilter, filterNameInput } from "../../core/model/contact-filter.ts";
import {
  forgetContactFilter,
  keepContactFilter,
  listContactFilters,
} from "../../core/services/contacts/contact-filters.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";

const tag = "Me";
const path = "/me/contact-filters";
const successes = {
  200: { description: "Your filters, by name.", data: z.array(contactFilter) },
};

/** Filters of the contact list that members save for themselves in an account. */
export const contactFilterRoutes = [
  route({
    method: "GET",
    path,
    access: agent,
    tag,
    summary: "List the filters of contacts that you keep in this account",
    successes,
    run: async (tx) => ({ data: await listContactFilters(tx) }),
  }),
  route({
    method: "POST",
    path,
    access: agent,
    tag,
    summary: "Keep a filter of contacts, in place of the one of that name",
    body: contactFilter,
    successes,
    run: async (tx, { body }) => ({ data: await keepContactFilter(tx, body) }),
  }),
  route({
    method: "DELETE",
    path,
    access: agent,
    tag,
    summary: "Forget the filter of contacts that has this name",
    query: z.object({ name: filterNameInput }),
    successes,
    run: async (tx, { query }) => ({ data: await forgetContactFilter(tx, query.name) }),
  }),
];
