import { z } from "zod";
import { calendarFeedBody, calendarFeedView, calendarFeedWithUrl } from "../calendar-feed.ts";
import { pageParameters } from "../wire.ts";
import { pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/calendar-feeds.ts`. */
export const calendarFeedsShapes = {
  "GET /resources/:id/feeds": { query: z.object(pageParameters), ...pageOf(calendarFeedView) },
  "POST /resources/:id/feeds": { body: calendarFeedBody, answers: { 201: calendarFeedWithUrl } },
  "POST /feeds/:id/revoke": { answers: { 200: calendarFeedView } },
} satisfies RouteShapes;
