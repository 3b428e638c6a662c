import { asLocale } from "../../core/model/user.ts";
import { getAccount } from "../../core/services/accounts/accounts.ts";
import {
  dismissKnowledgeGap,
  listKnowledgeGaps,
} from "../../core/services/agent/knowledge-gaps.ts";
import { searchKnowledge } from "../../core/services/agent/knowledge-index.ts";
import {
  createKnowledgeItem,
  decideKnowledgeItems,
  deleteKnowledgeItem,
  getKnowledgeItem,
  listKnowledgeItems,
  presentKnowledgeItem,
  presentKnowledgeItems,
  updateKnowledgeItem,
} from "../../core/services/agent/knowledge.ts";
import { admin, agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Knowledge";
const noun = "knowledge_item";

/** Questions with stored answers, from which the agent answers, and questions without one. */
export const knowledgeRoutes = [
  dashboardRoute("GET /knowledge-items", {
    access: agent,
    tag,
    summary: "List knowledge items, newest first",
    run: async (tx, { query }) => {
      const page = await listKnowledgeItems(tx, query);
      return { data: await presentKnowledgeItems(tx, page.rows), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /knowledge-items", {
    access: agent,
    tag,
    summary: "Suggest a question with its answer; an admin may approve it at once",
    errors: ["forbidden_role", "knowledge_gap_not_found"],
    run: async (tx, { body }) => ({
      data: await presentKnowledgeItem(tx, await createKnowledgeItem(tx, body)),
    }),
  }),
  dashboardRoute("GET /knowledge-items/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a knowledge item",
    run: async (tx, { id }) => ({
      data: await presentKnowledgeItem(tx, await getKnowledgeItem(tx, id)),
    }),
  }),
  dashboardRoute("PATCH /knowledge-items/:id", {
    access: agent,
    tag,
    noun,
    summary: "Change a suggested item, or as an admin any item and its state",
    errors: ["forbidden_role"],
    run: async (tx, { id, body }) => ({
      data: await presentKnowledgeItem(tx, await updateKnowledgeItem(tx, id, body)),
    }),
  }),
  dashboardRoute("DELETE /knowledge-items/:id", {
    access: agent,
    tag,
    noun,
    summary: "Delete a suggested item, or as an admin any item",
    errors: ["forbidden_role"],
    run: async (tx, { id }) => {
      await deleteKnowledgeItem(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /knowledge-items/bulk", {
    access: admin,
    tag,
    summary: "Approve or archive up to 100 items; items that are gone are left out",
    run: async (tx, { body }) => ({
      data: await presentKnowledgeItems(tx, await decideKnowledgeItems(tx, body)),
    }),
  }),
  dashboardRoute("GET /knowledge-gaps", {
    access: agent,
    tag,
    summary: "List questions of customers that no item answered, those asked last first",
    run: async (tx, { query }) => {
      const page = await listKnowledgeGaps(tx, query);
      return { data: page.rows, meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /knowledge-gaps/:id/dismiss", {
    access: agent,
    tag,
    noun: "knowledge_gap",
    summary: "Dismiss a gap, with all that ask the same",
    run: async (tx, { id }) => {
      await dismissKnowledgeGap(tx, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /knowledge/search", {
    access: agent,
    tag,
    summary: "Search the approved items as the agent does, with scores",
    run: async (tx, { body }) => {
      const language = body.language ?? asLocale((await getAccount(tx)).locale);
      return { data: await searchKnowledge(tx, body.text, language) };
    },
  }),
];
