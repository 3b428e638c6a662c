import { z } from "zod";
import { restChannel } from "../channels.ts";
import { contentInput, messageView } from "../message.ts";
import { toWellFormed } from "../wire.ts";
import type { RouteShapes } from "./shape.ts";

/** Shapes of the routes in `api/dashboard/sandbox.ts`. */
export const sandboxShapes = {
  "POST /sandbox/messages": {
    body: z.strictObject({
      channel: restChannel,
      from: z
        .string()
        .trim()
        .min(1)
        .max(128)
        .regex(/^[\x20-\x7e]+$/, "Use ASCII characters.")
        .describe("The customer's id on the channel: a phone on WhatsApp, any word elsewhere."),
      name: z.string().trim().max(200).overwrite(toWellFormed).optional(),
      text: contentInput,
    }),
    answers: { 201: messageView },
  },
} satisfies RouteShapes;
