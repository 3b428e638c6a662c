import { z } from "zod";
import {
  boardFilter,
  boardTotals,
  cardPatchBody,
  pipelineCreateBody,
  pipelinePatchBody,
  pipelineView,
  stageBody,
  stageOrderBody,
} from "../pipeline.ts";
import { pageParameters } from "../wire.ts";
import { cardView } from "../views/conversation.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/pipelines.ts`. */
export const pipelinesShapes = {
  "GET /pipelines": {
    query: z.object(pageParameters),
    ...pageOf(pipelineView),
  },
  "POST /pipelines": { body: pipelineCreateBody, answers: { 201: pipelineView } },
  "GET /pipelines/:id": { answers: { 200: pipelineView } },
  "PATCH /pipelines/:id": { body: pipelinePatchBody, answers: { 200: pipelineView } },
  "DELETE /pipelines/:id": { answers: { 200: idView } },
  "GET /pipelines/:id/totals": { query: boardFilter, answers: { 200: boardTotals } },
  "PATCH /pipelines/:id/cards/:contactId": { body: cardPatchBody, answers: { 200: cardView } },
  "POST /pipelines/:id/stages": { body: stageBody, answers: { 201: pipelineView } },
  "PUT /pipelines/:id/stages": { body: stageOrderBody, answers: { 200: pipelineView } },
} satisfies RouteShapes;
