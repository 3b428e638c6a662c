import { AppError, invalidField } from "../../core/errors.ts";
import { parsePhone } from "../../core/model/contact.ts";
import {
  findSandbox,
  receiveCustomerMessage,
} from "../../core/services/conversations/customer-messages.ts";
import { presentMessage } from "../../core/services/conversations/message-views.ts";
import { agent } from "./access.ts";
import { dashboardRoute } from "./route.ts";

/** Messages in a customer's name, on channels without a provider. */
export const sandboxRoutes = [
  dashboardRoute("POST /sandbox/messages", {
    access: agent,
    tag: "Sandbox",
    summary: "Write to the account as a customer would",
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
      return { data: await presentMessage(tx, row) };
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
