import { readQuality } from "../../core/services/agent/quality.ts";
import { readUsage } from "../../core/services/agent/usage.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

const tag = "AI agent";

/** Reports of the AI agent. */
export const agentReportRoutes = [
  dashboardRoute("GET /agent-usage", {
    access: agent,
    tag,
    summary: "Turns, tokens and cost of the AI agent by day and by provider, up to 90 days",
    run: async (tx, { query }) => ({ data: await readUsage(tx, query) }),
  }),
  dashboardRoute("GET /agent-quality", {
    access: agent,
    tag,
    summary: "Answers, handovers, reopened conversations and ratings, up to 90 days",
    run: async (tx, { query }) => ({ data: await readQuality(tx, query) }),
  }),
];
