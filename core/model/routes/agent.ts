import { z } from "zod";
import {
  agentPatchBody,
  agentVersionListQuery,
  draftStepBody,
  providerCreateBody,
  providerPatchBody,
} from "../agent-setup.ts";
import { agentProviderView, agentVersionView, agentView } from "../views/agent.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent.ts`. */
export const agentShapes = {
  "GET /agent": { answers: { 200: agentView } },
  "PATCH /agent": { body: agentPatchBody, answers: { 200: agentView } },
  "POST /agent/publish": { body: draftStepBody, answers: { 200: agentView } },
  "GET /agent/versions": { query: agentVersionListQuery, ...pageOf(agentVersionView) },
  "POST /agent/versions/:id/restore": { body: draftStepBody, answers: { 200: agentView } },
  "GET /agent/providers": { answers: { 200: z.array(agentProviderView) } },
  "POST /agent/providers": { body: providerCreateBody, answers: { 201: agentProviderView } },
  "PATCH /agent/providers/:id": { body: providerPatchBody, answers: { 200: agentProviderView } },
  "DELETE /agent/providers/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
