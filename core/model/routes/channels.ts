import { z } from "zod";
import {
  channelAccountBody,
  channelAccountChangeBody,
  channelAccountView,
  channelAppBody,
  channelAppView,
  channelItemRawView,
  channelItemView,
  channelNumbersBody,
  channelNumberView,
  channelRegisterBody,
  channelTestBody,
  channelTestView,
  channelTrafficView,
  channelWebhookRawView,
  channelWebhookView,
} from "../channel-setup.ts";
import { itemStates } from "../channel-intake.ts";
import { idParameter, logParameters } from "../wire.ts";
import { logOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/channels.ts` and `channel-intake.ts`. */
export const channelsShapes = {
  "GET /channel-apps": { answers: { 200: z.array(channelAppView) } },
  "POST /channel-apps": { body: channelAppBody, answers: { 201: channelAppView } },
  "POST /channel-apps/:id/numbers": {
    body: channelNumbersBody,
    answers: { 200: z.array(channelNumberView) },
  },
  "GET /channel-accounts": { answers: { 200: z.array(channelAccountView) } },
  "POST /channel-accounts": { body: channelAccountBody, answers: { 201: channelAccountView } },
  "PATCH /channel-accounts/:id": {
    body: channelAccountChangeBody,
    answers: { 200: channelAccountView },
  },
  "DELETE /channel-accounts/:id": { answers: { 200: channelAccountView } },
  "POST /channel-accounts/:id/check": { answers: { 200: channelAccountView } },
  "POST /channel-accounts/:id/register": {
    body: channelRegisterBody,
    answers: { 200: channelAccountView },
  },
  "POST /channel-accounts/:id/test-message": {
    body: channelTestBody,
    answers: { 201: channelTestView },
  },
  "GET /channel-accounts/:id/traffic": { answers: { 200: channelTrafficView } },
  "GET /channel-items": {
    query: z.object({
      ...logParameters,
      state: z.enum(itemStates).default("parked"),
      channel_account_id: idParameter.optional(),
    }),
    ...logOf(channelItemView),
  },
  "GET /channel-items/:id/raw": { answers: { 200: channelItemRawView } },
  "POST /channel-items/:id/retry": { answers: { 200: channelItemView } },
  "GET /channel-webhooks": { query: z.object(logParameters), ...logOf(channelWebhookView) },
  "GET /channel-webhooks/:id/raw": { answers: { 200: channelWebhookRawView } },
  "POST /channel-webhooks/:id/retry": { answers: { 200: channelWebhookView } },
} satisfies RouteShapes;
