import { z } from "zod";
import { notificationSurfaces } from "../notification-preferences.ts";
import { logMeta } from "../page.ts";
import { flagInQuery, logParameters, recordId } from "../wire.ts";
import { notificationView } from "../views/dashboard.ts";
import { groupKeyInput } from "./inputs.ts";
import type { RouteShapes } from "./shape.ts";

const unread = z.int().min(0).describe("Notifications that the person has yet to read, in all.");
const unreadView = z.strictObject({ unread });

/** Shapes of the routes in `api/dashboard/notifications.ts`. */
export const notificationsShapes = {
  "GET /notifications": {
    query: z.object({
      unread: flagInQuery.default(false),
      group_key: groupKeyInput.optional(),
      surface: z
        .enum(notificationSurfaces)
        .default("app")
        .describe("Leaves out kinds that you do not want to see there."),
      ...logParameters,
    }),
    answers: { 200: z.array(notificationView) },
    meta: logMeta.extend({ unread }),
  },
  "POST /notifications/read": {
    body: z.strictObject({ ids: z.union([z.literal("all"), z.array(recordId).min(1).max(500)]) }),
    answers: { 200: unreadView },
  },
  "POST /notifications/:id/read": { answers: { 200: unreadView } },
} satisfies RouteShapes;
