import { z } from "zod";
import {
  knowledgeBulkBody,
  knowledgeGapListQuery,
  knowledgeItemCreateBody,
  knowledgeItemPatchBody,
  knowledgeListQuery,
  knowledgeSearchBody,
  knowledgeSourceBody,
  knowledgeSourceListQuery,
} from "../knowledge.ts";
import {
  knowledgeGapView,
  knowledgeHitView,
  knowledgeItemView,
  knowledgeSourceView,
} from "../views/knowledge.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/knowledge.ts`. */
export const knowledgeShapes = {
  "GET /knowledge-items": { query: knowledgeListQuery, ...pageOf(knowledgeItemView) },
  "POST /knowledge-items": { body: knowledgeItemCreateBody, answers: { 201: knowledgeItemView } },
  "GET /knowledge-items/:id": { answers: { 200: knowledgeItemView } },
  "PATCH /knowledge-items/:id": {
    body: knowledgeItemPatchBody,
    answers: { 200: knowledgeItemView },
  },
  "DELETE /knowledge-items/:id": { answers: { 200: idView } },
  "POST /knowledge-items/bulk": {
    body: knowledgeBulkBody,
    answers: { 200: z.array(knowledgeItemView) },
  },
  "GET /knowledge-sources": { query: knowledgeSourceListQuery, ...pageOf(knowledgeSourceView) },
  "POST /knowledge-sources": { body: knowledgeSourceBody, answers: { 201: knowledgeSourceView } },
  "POST /knowledge-sources/:id/refresh": { answers: { 200: knowledgeSourceView } },
  "DELETE /knowledge-sources/:id": { answers: { 200: idView } },
  "GET /knowledge-gaps": { query: knowledgeGapListQuery, ...pageOf(knowledgeGapView) },
  "POST /knowledge-gaps/:id/dismiss": { answers: { 200: idView } },
  "POST /knowledge/search": {
    body: knowledgeSearchBody,
    answers: { 200: z.array(knowledgeHitView) },
  },
} satisfies RouteShapes;
