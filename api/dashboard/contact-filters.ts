import {
  forgetContactFilter,
  keepContactFilter,
  listContactFilters,
} from "../../core/services/contacts/contact-filters.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Me";

/** Filters of the contact list that members save for themselves in an account. */
export const contactFilterRoutes = [
  dashboardRoute("GET /me/contact-filters", {
    access: agent,
    tag,
    summary: "List the filters of contacts that you keep in this account",
    run: async (tx) => ({ data: await listContactFilters(tx) }),
  }),
  dashboardRoute("POST /me/contact-filters", {
    access: agent,
    tag,
    summary: "Keep a filter of contacts, in place of the one of that name",
    run: async (tx, { body }) => ({ data: await keepContactFilter(tx, body) }),
  }),
  dashboardRoute("DELETE /me/contact-filters", {
    access: agent,
    tag,
    summary: "Forget the filter of contacts that has this name",
    run: async (tx, { query }) => ({ data: await forgetContactFilter(tx, query.name) }),
  }),
];
