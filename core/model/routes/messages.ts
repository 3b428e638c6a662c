import { z } from "zod";
import { inboxSendBody, messageView } from "../message.ts";
import {
  messageMatch,
  messagePlaceMeta,
  messagePlaceQuery,
  messageSearchMeta,
  messageSearchQuery,
} from "../message-places.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/messages.ts`. */
export const messagesShapes = {
  "GET /conversations/:id/messages": {
    query: messagePlaceQuery,
    answers: { 200: z.array(messageView) },
    meta: messagePlaceMeta,
  },
  "GET /conversations/:id/messages/search": {
    query: messageSearchQuery,
    answers: { 200: z.array(messageMatch) },
    meta: messageSearchMeta,
  },
  "POST /conversations/:id/messages": {
    body: inboxSendBody,
    answers: { 201: messageView, 200: messageView },
  },
  "POST /messages/:id/retry": {
    body: z.strictObject({
      confirm: z
        .boolean()
        .default(false)
        .describe("Needed where the customer may have the message already."),
    }),
    answers: { 201: messageView, 200: messageView },
  },
} satisfies RouteShapes;
