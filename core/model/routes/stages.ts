import { z } from "zod";
import { cardListQuery, pipelineView, stageMoveBody, stagePatchBody } from "../pipeline.ts";
import { cardListMeta } from "../page.ts";
import { recordId } from "../wire.ts";
import { cardView, inboxConversation } from "../views/conversation.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/stages.ts`. */
export const stagesShapes = {
  "GET /stages/:id/cards": {
    query: cardListQuery,
    answers: { 200: z.array(cardView) },
    meta: cardListMeta,
  },
  "PATCH /stages/:id": { body: stagePatchBody, answers: { 200: pipelineView } },
  "DELETE /stages/:id": { answers: { 200: pipelineView } },
  "POST /stages/:id/empty": {
    body: z.strictObject({ stage_id: recordId.describe("Where they go.") }),
    answers: { 200: z.strictObject({ moved: z.int(), left: z.int() }) },
  },
  "POST /conversations/:id/stage": { body: stageMoveBody, answers: { 200: inboxConversation } },
  "POST /contacts/:id/stage": { body: stageMoveBody, answers: { 200: inboxConversation } },
} satisfies RouteShapes;
