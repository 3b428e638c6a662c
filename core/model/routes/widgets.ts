import { z } from "zod";
import { widgetBody, widgetChangeBody, widgetView, widgetWithSecretView } from "../widget.ts";
import { idView, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/widgets.ts`. */
export const widgetsShapes = {
  "GET /widgets": { answers: { 200: z.array(widgetView) } },
  "POST /widgets": { body: widgetBody, answers: { 201: widgetWithSecretView } },
  "GET /widgets/:id": { answers: { 200: widgetView } },
  "PATCH /widgets/:id": { body: widgetChangeBody, answers: { 200: widgetView } },
  "DELETE /widgets/:id": { answers: { 200: idView } },
  "POST /widgets/:id/secret": { answers: { 200: widgetWithSecretView } },
} satisfies RouteShapes;
