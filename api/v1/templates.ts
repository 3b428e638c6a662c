import { z } from "zod";
import { listMeta } from "../../core/model/page.ts";
import { templateDirectoryQuery, templateEntry } from "../../core/model/template-list.ts";
import { listTemplateEntries } from "../../core/services/templates/template-directory.ts";
import { route } from "../http/route.ts";

/** Templates of API v1, which messages name. Rule C77. */
export const templateRoutes = [
  route({
    method: "GET",
    path: "/templates",
    access: { kind: "scope", scope: "conversations:read" },
    tag: "Templates",
    summary: "List the templates of WhatsApp with the values that each takes",
    query: templateDirectoryQuery,
    successes: {
      200: { description: "The templates.", data: z.array(templateEntry), meta: listMeta },
    },
    run: async (tx, { query }) => {
      const { rows, total } = await listTemplateEntries(tx, query);
      const { limit, offset } = query;
      return { data: rows, meta: { total, limit, offset } };
    },
  }),
];
