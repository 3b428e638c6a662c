import { z } from "zod";
import { contentInput, messageSendBody, messageView } from "../message.ts";
import { recordId } from "../wire.ts";
import { idView, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/agent-drafts.ts`. */
export const agentDraftsShapes = {
  "POST /conversations/:id/suggestion": {
    answers: { 202: z.strictObject({ turn_id: recordId }) },
  },
  "DELETE /conversations/:id/suggestion": { answers: { 200: idView } },
  "POST /agent-drafts/:id/send": {
    body: z.strictObject({
      text: contentInput.or(z.literal("")).describe("Empty: the confirmations are the text."),
      external_id: messageSendBody.shape.external_id,
      proposal_ids: z.array(recordId).max(20).describe("The changes to make."),
    }),
    answers: { 201: messageView, 200: messageView },
  },
  "POST /agent-drafts/:id/dismiss": { answers: { 200: idView } },
} satisfies RouteShapes;
