import { z } from "zod";
import { scopes } from "../principal.ts";
import { pageParameters, timestamp, toWellFormed } from "../wire.ts";
import { apiKeyView, apiKeyWithKey } from "../views/dashboard.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/api-keys.ts`. */
export const apiKeysShapes = {
  "GET /api-keys": {
    query: z.object(pageParameters),
    ...pageOf(apiKeyView),
  },
  "POST /api-keys": {
    body: z.strictObject({
      name: z.string().trim().min(1).max(200).overwrite(toWellFormed),
      scopes: z
        .array(z.enum(scopes))
        .min(1)
        .overwrite((list) => [...new Set(list)]),
      expires_at: timestamp.nullable().optional(),
    }),
    answers: { 201: apiKeyWithKey },
  },
  "POST /api-keys/:id/rotate": {
    body: z.strictObject({ overlap_hours: z.int().min(0).max(168).default(24) }),
    answers: { 201: apiKeyWithKey },
  },
  "POST /api-keys/:id/revoke": { answers: { 200: apiKeyView } },
} satisfies RouteShapes;
