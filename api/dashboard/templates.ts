import { askTemplateSync } from "../../core/services/templates/template-syncs.ts";
import { listTemplates, presentSync } from "../../core/services/templates/template-views.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Templates";

/** Templates of WhatsApp, as Meta's list last showed them. */
export const templateRoutes = [
  dashboardRoute("GET /templates", {
    access: agent,
    tag,
    summary: "List and search the templates of a channel, with their texts and values",
    errors: ["channel_account_not_found", "conversation_not_found", "forbidden_role"],
    run: async (tx, { query }) => {
      const { page, sync } = await listTemplates(tx, query);
      return { data: page.rows, meta: { ...pageMetaOf(page, query), sync } };
    },
  }),
  dashboardRoute("POST /channel-accounts/:id/templates/sync", {
    access: admin,
    tag,
    noun: "channel_account",
    summary: "Read the templates of a channel from Meta now, once a minute at most",
    errors: ["template_unavailable", "rate_limited"],
    run: async (tx, { id }) => ({ data: presentSync(await askTemplateSync(tx, id)) }),
  }),
];
