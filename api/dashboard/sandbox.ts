import { z } from "zod";
import { AppError, invalidField } from "../../core/errors.ts";
import { restChannel } from "../../core/model/channels.ts";
import { parsePhone } from "../../core/model/contact.ts";
import { contentInput, messageView } from "../../core/model/message.ts";
import { toWellFormed } from "../../core/model/wire.ts";
import {
  findSandbox,
  receiveCustomerMessage,
} from "../../core/services/conversations/customer-messages.ts";
import { presentMessage } from "../../core/services/conversations/message-records.ts";
import { route } from "../http/route.ts";
import { agent } from "./access.ts";

/** Messages in a customer's name, on channels without a provider. */
export const sandboxRoutes = [
  route({
    method: "POST",
    path: "/sandbox/messages",
    access: agent,
    tag: "Sandbox",
    summary: "Write to the account as a customer would",
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
    successes: { 201: { description: "Received.", data: messageView } },
    errors: ["channel_not_connected"],
    run: async (tx, { body }) => {
      const channelAccountId = await findSandbox(tx, body.channel);
      if (channelAccountId === null) {
        throw new AppError("channel_not_connected", {
          message: "This channel has no sandbox any more. Write over the channel itself.",
        });
      }
      const { row } = await receiveCustomerMessage(tx, {
        channelAccountId,
        from: customerId(body.channel, body.from),
        name: body.name === undefined || body.name === "" ? null : body.name,
        type: "text",
        content: body.text,
        media: null,
        providerId: null,
      });
      return { data: presentMessage(row) };
    },
  }),
];

/** WhatsApp identifies customers by the digits of their phone. */
function customerId(channel: string, from: string): string {
  if (channel !== "whatsapp") return from;
  const digits = parsePhone(from);
  if (digits !== null) return digits;
  throw invalidField(
    "body.from",
    "invalid_phone",
    "On WhatsApp a customer is a phone: use 8 to 15 digits with the country code.",
  );
}
