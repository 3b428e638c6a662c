import { macroCreateBody, macroListQuery, macroPatchBody, macroRunBody } from "../macro.ts";
import { macroRunView, macroView } from "../views/macro.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/macros.ts`. */
export const macrosShapes = {
  "GET /macros": { query: macroListQuery, ...pageOf(macroView) },
  "POST /macros": { body: macroCreateBody, answers: { 201: macroView } },
  "GET /macros/:id": { answers: { 200: macroView } },
  "PATCH /macros/:id": { body: macroPatchBody, answers: { 200: macroView } },
  "DELETE /macros/:id": { answers: { 200: idView } },
  "POST /conversations/:id/macros/:macroId/run": {
    body: macroRunBody,
    answers: { 200: macroRunView },
  },
} satisfies RouteShapes;
