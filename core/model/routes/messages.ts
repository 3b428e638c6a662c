import { z } from "zod";
import { inboxSendBody, messageListQuery, messageView } from "../message.ts";
import { logOf, type RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/messages.ts`. */
export const messagesShapes = {
  "GET /conversations/:id/messages": {
    query: messageListQuery,
    ...logOf(messageView),
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
