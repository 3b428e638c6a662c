import { deleteAnswer, getAnswer } from "../../core/services/answers/answer-rows.ts";
import { runMacro } from "../../core/services/answers/macro-runs.ts";
import {
  createMacro,
  listMacros,
  macros,
  presentMacro,
  updateMacro,
} from "../../core/services/answers/macros.ts";
import { presentInboxConversation } from "../../core/services/read-models/inbox.ts";
import { agent } from "./access.ts";
import { pageMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";

const tag = "Macros";
const noun = "macro";

/** Macros: several steps in a conversation at once. */
export const macroRoutes = [
  dashboardRoute("GET /macros", {
    access: agent,
    tag,
    summary: "List and search the macros of the account and your own",
    run: async (tx, { query }) => {
      const page = await listMacros(tx, query);
      return { data: page.rows.map(presentMacro), meta: pageMetaOf(page, query) };
    },
  }),
  dashboardRoute("POST /macros", {
    access: agent,
    tag,
    summary: "Add a macro for yourself; an admin may share it with the account",
    errors: ["forbidden_role"],
    run: async (tx, { body }) => ({ data: presentMacro(await createMacro(tx, body)) }),
  }),
  dashboardRoute("GET /macros/:id", {
    access: agent,
    tag,
    noun,
    summary: "Read a macro",
    run: async (tx, { id }) => ({ data: presentMacro(await getAnswer(tx, macros, id)) }),
  }),
  dashboardRoute("PATCH /macros/:id", {
    access: agent,
    tag,
    noun,
    summary: "Change a macro of your own, or as an admin a shared one",
    errors: ["forbidden_role"],
    run: async (tx, { id, body }) => ({ data: presentMacro(await updateMacro(tx, id, body)) }),
  }),
  dashboardRoute("DELETE /macros/:id", {
    access: agent,
    tag,
    noun,
    summary: "Delete a macro of your own, or as an admin a shared one",
    errors: ["forbidden_role"],
    run: async (tx, { id }) => {
      await deleteAnswer(tx, macros, id);
      return { data: { id } };
    },
  }),
  dashboardRoute("POST /conversations/:id/macros/:macroId/run", {
    access: agent,
    tag,
    noun: "conversation",
    secondNoun: noun,
    summary: "Take all steps of a macro in a conversation, or none",
    errors: ["macro_step_failed"],
    run: async (tx, { id, secondId: macroId, body }) => {
      const run = { conversationId: id, macroId, externalId: body.external_id };
      const { row, repeated } = await runMacro(tx, run);
      return { data: { ...(await presentInboxConversation(tx, row)), repeated } };
    },
  }),
];
