import {
  cannedAnswerCreateBody,
  cannedAnswerListQuery,
  cannedAnswerPatchBody,
} from "../canned-answer.ts";
import { cannedAnswerView } from "../views/canned-answer.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/canned-answers.ts`. */
export const cannedAnswersShapes = {
  "GET /canned-answers": { query: cannedAnswerListQuery, ...pageOf(cannedAnswerView) },
  "POST /canned-answers": { body: cannedAnswerCreateBody, answers: { 201: cannedAnswerView } },
  "GET /canned-answers/:id": { answers: { 200: cannedAnswerView } },
  "PATCH /canned-answers/:id": { body: cannedAnswerPatchBody, answers: { 200: cannedAnswerView } },
  "DELETE /canned-answers/:id": { answers: { 200: idView } },
} satisfies RouteShapes;
