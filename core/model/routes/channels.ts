import { z } from "zod";
import {
  channelAccountBody,
  channelAccountView,
  channelAppBody,
  channelAppView,
  channelItemView,
} from "../channel-setup.ts";
import { itemStates } from "../channel-intake.ts";
import { logParameters } from "../wire.ts";
import { logOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/channels.ts`. */
export const channelsShapes = {
  "POST /channel-apps": { body: channelAppBody, answers: { 201: channelAppView } },
  "GET /channel-accounts": { answers: { 200: z.array(channelAccountView) } },
  "POST /channel-accounts": { body: channelAccountBody, answers: { 201: channelAccountView } },
  "GET /channel-items": {
    query: z.object({ ...logParameters, state: z.enum(itemStates).default("parked") }),
    ...logOf(channelItemView),
  },
  "POST /channel-items/:id/retry": { answers: { 200: channelItemView } },
} satisfies RouteShapes;
