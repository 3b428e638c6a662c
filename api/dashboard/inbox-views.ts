import {
  createSavedView,
  deleteSavedView,
  listSavedViews,
  presentSavedView,
  updateSavedView,
} from "../../core/services/conversations/saved-views.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Inbox";
const noun = "inbox_view";

/** Views of the inbox that members save, for themselves or for the account. */
export const inboxViewRoutes = [
  dashboardRoute("GET /inbox-views", {
    access: agent,
    tag,
    summary: "List your saved views and those shared with the account, by name",
    run: async (tx, { query }) => {
      const page = await listSavedViews(tx, query);
      return { data: page.rows.map(presentSavedView), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /inbox-views", {
    access: agent,
    tag,
    summary: "Save a view, for yourself or for the account",
    run: async (tx, { body }) => ({ data: presentSavedView(await createSavedView(tx, body)) }),
  }),
  dashboardRoute("PATCH /inbox-views/:id", {
    access: agent,
    tag,
    noun,
    summary: "Change a saved view; only admins change a shared one of another member",
    errors: ["forbidden_role"],
    run: async (tx, { id, body }) => ({
      data: presentSavedView(await updateSavedView(tx, id, body)),
    }),
  }),
  dashboardRoute("DELETE /inbox-views/:id", {
    access: agent,
    tag,
    noun,
    summary: "Delete a saved view; only admins delete a shared one of another member",
    errors: ["forbidden_role"],
    run: async (tx, { id }) => {
      await deleteSavedView(tx, id);
      return { data: { id } };
    },
  }),
];
