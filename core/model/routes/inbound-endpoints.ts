import { z } from "zod";
import { inboundEndpointCreateBody, inboundEndpointPatchBody } from "../inbound.ts";
import { inboundVerdicts } from "../inbound-log.ts";
import { logParameters, pageParameters, recordId } from "../wire.ts";
import {
  inboundEndpointView,
  inboundEndpointWithSecret,
  inboundRequestView,
} from "../views/inbound.ts";
import { idView, pageOf, logOf, type RouteShapes } from "./shape.ts";

const list = {
  query: z.object(pageParameters),
  ...pageOf(inboundEndpointView),
};
const read = { answers: { 200: inboundEndpointView } };
const listRequests = {
  query: z.object({ ...logParameters, verdict: z.enum(inboundVerdicts).optional() }),
  ...logOf(inboundRequestView),
};
const create = { body: inboundEndpointCreateBody, answers: { 201: inboundEndpointWithSecret } };
const change = { body: inboundEndpointPatchBody, answers: { 200: inboundEndpointView } };
const remove = { answers: { 200: idView } };
const rotate = { answers: { 200: z.strictObject({ id: recordId, secret: z.string() }) } };

/** Shapes of the routes in `api/dashboard/inbound-endpoints.ts`. */
export const inboundEndpointsShapes = {
  "GET /inbound-endpoints": list,
  "GET /inbound-endpoints/:id": read,
  "GET /inbound-endpoints/:id/requests": listRequests,
  "POST /inbound-endpoints": create,
  "PATCH /inbound-endpoints/:id": change,
  "DELETE /inbound-endpoints/:id": remove,
  "POST /inbound-endpoints/:id/rotate-secret": rotate,
  "GET /voice-integrations": list,
  "GET /voice-integrations/:id": read,
  "GET /voice-integrations/:id/requests": listRequests,
  "POST /voice-integrations": create,
  "PATCH /voice-integrations/:id": change,
  "DELETE /voice-integrations/:id": remove,
  "POST /voice-integrations/:id/rotate-secret": rotate,
} satisfies RouteShapes;
