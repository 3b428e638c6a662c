import { z } from "zod";
import { pageMeta } from "../page.ts";
import { flagInQuery, pageParameters, recordId } from "../wire.ts";
import { notificationGroupView } from "../views/dashboard.ts";
import { groupKeyInput } from "./inputs.ts";
import type { RouteShapes } from "./shape.ts";

const unread = z.int().min(0).describe("Notifications that the person has yet to read, in all.");

/** Shapes of the routes in `api/dashboard/notification-groups.ts`. */
export const notificationGroupsShapes = {
  "GET /notification-groups": {
    query: z.object({ unread: flagInQuery.default(false), ...pageParameters }),
    answers: { 200: z.array(notificationGroupView) },
    meta: pageMeta.extend({ unread }),
  },
  "POST /notification-groups/read": {
    body: z.strictObject({
      group_key: groupKeyInput,
      through_id: recordId.describe("The newest that was seen; what came after stays unread."),
    }),
    answers: { 200: z.strictObject({ unread }) },
  },
} satisfies RouteShapes;
