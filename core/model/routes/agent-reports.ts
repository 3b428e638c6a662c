import { z } from "zod";
import { agentQualityView, agentUsageView } from "../views/agent-report.ts";
import type { RouteShapes } from "./shape.ts";

const day = z.iso.date("Use a day such as 2026-03-05.");
const query = z.object({
  from: day.describe("First day, in the account's time zone."),
  to: day.describe("Last day, at most 90 days in all."),
});

/** Shapes of the routes in `api/dashboard/agent-reports.ts`. */
export const agentReportsShapes = {
  "GET /agent-usage": { query, answers: { 200: agentUsageView } },
  "GET /agent-quality": { query, answers: { 200: agentQualityView } },
} satisfies RouteShapes;
