import { z } from "zod";
import {
  pipelineCreateBody,
  pipelinePatchBody,
  pipelineView,
  stageBody,
  stageOrderBody,
} from "../pipeline.ts";
import { pageParameters } from "../wire.ts";
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
  "POST /pipelines/:id/stages": { body: stageBody, answers: { 201: pipelineView } },
  "PUT /pipelines/:id/stages": { body: stageOrderBody, answers: { 200: pipelineView } },
} satisfies RouteShapes;
