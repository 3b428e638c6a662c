import { z } from "zod";
import { agentCaseCreateBody, agentCaseListQuery, agentCasePatchBody } from "../agent-case.ts";
import { agentCaseView } from "../views/agent-case.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent-cases.ts`. */
export const agentCasesShapes = {
  "GET /agent-cases": { query: agentCaseListQuery, ...pageOf(agentCaseView) },
  "POST /agent-cases": { body: agentCaseCreateBody, answers: { 201: agentCaseView } },
  "POST /agent-cases/run": { answers: { 200: z.strictObject({ queued: z.int().min(0) }) } },
  "PATCH /agent-cases/:id": { body: agentCasePatchBody, answers: { 200: agentCaseView } },
  "DELETE /agent-cases/:id": { answers: { 200: idView } },
  "POST /agent-turns/:id/case": { answers: { 201: agentCaseView } },
} satisfies RouteShapes;
