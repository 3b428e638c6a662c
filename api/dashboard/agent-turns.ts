import {
  getTurn,
  listTurns,
  presentTurnDetail,
  presentTurns,
} from "../../core/services/agent/turn-views.ts";
import { agent } from "./access.ts";
import { logMetaOf } from "./list-meta.ts";
import { dashboardRoute } from "./route.ts";
import { runUrl } from "./temporal-links.ts";

const tag = "AI agent";

/** Turns of the AI agent, and all that led to their outcome. */
export const agentTurnRoutes = [
  dashboardRoute("GET /agent-turns", {
    access: agent,
    tag,
    summary: "List the turns of the AI agent, newest first",
    run: async (tx, { query }) => {
      const page = await listTurns(tx, query);
      return { data: await presentTurns(tx, page.rows), meta: logMetaOf(page, query) };
    },
  }),
  dashboardRoute("GET /agent-turns/:id", {
    access: agent,
    tag,
    noun: "agent_turn",
    summary: "Read a turn with its burst, steps, tool calls and guards",
    run: async (tx, { id }, { config, naming }) => {
      const row = await getTurn(tx, id);
      const data = await presentTurnDetail(tx, row);
      const run_url = runUrl(config, naming(`agent-${row.conversationId}`));
      return { data: { ...data, run_url } };
    },
  }),
];
