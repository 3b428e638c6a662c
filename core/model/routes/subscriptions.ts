import { z } from "zod";
import { optionalReasonBody } from "./inputs.ts";
import { subscriptionCreateBody, subscriptionPatchBody } from "../subscription.ts";
import { pageParameters, recordId } from "../wire.ts";
import {
  signedSampleView,
  subscriptionStatsView,
  subscriptionView,
  subscriptionWithSecret,
} from "../views/dashboard.ts";
import { idView, pageOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/subscriptions.ts`. */
export const subscriptionsShapes = {
  "GET /subscriptions": {
    query: z.object(pageParameters),
    ...pageOf(subscriptionView),
  },
  "GET /subscriptions/stats": { answers: { 200: z.array(subscriptionStatsView) } },
  "POST /subscriptions": { body: subscriptionCreateBody, answers: { 201: subscriptionWithSecret } },
  "GET /subscriptions/:id": { answers: { 200: subscriptionView } },
  "GET /subscriptions/:id/stats": { answers: { 200: subscriptionStatsView } },
  "GET /subscriptions/:id/samples": { answers: { 200: z.array(signedSampleView) } },
  "PATCH /subscriptions/:id": { body: subscriptionPatchBody, answers: { 200: subscriptionView } },
  "DELETE /subscriptions/:id": { answers: { 200: idView } },
  "POST /subscriptions/:id/pause": { body: optionalReasonBody, answers: { 200: subscriptionView } },
  "POST /subscriptions/:id/resume": {
    body: optionalReasonBody,
    answers: { 200: subscriptionView },
  },
  "POST /subscriptions/:id/test": {
    answers: { 202: z.strictObject({ event_id: z.uuid(), delivery_id: recordId }) },
  },
  "POST /subscriptions/:id/rotate-secret": {
    answers: { 200: z.strictObject({ id: recordId, secret: z.string() }) },
  },
} satisfies RouteShapes;
