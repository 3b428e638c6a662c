import type { MetaSender, SendRequest } from "./send-request.ts";
import { sendPathOf } from "./send-request.ts";

/**
 * The requests that mark a customer's message as read and show that someone writes an answer. The
 * sign goes by itself after some seconds, or with the answer.
 * @param messageId the network's id of the customer's message
 */
export function buildTypingRequests(
  sender: MetaSender,
  customer: string,
  messageId: string,
): SendRequest[] {
  const target = sendPathOf(sender);
  if (sender.driver === "whatsapp_cloud") {
    const body = {
      messaging_product: "whatsapp",
      status: "read",
      message_id: messageId,
      typing_indicator: { type: "text" },
    };
    return [{ ...target, body }];
  }
  return ["mark_seen", "typing_on"].map((sender_action) => ({
    ...target,
    body: { recipient: { id: customer }, sender_action },
  }));
}

/** The request that marks a customer's message, and all older ones, as read. */
export function buildReadRequest(
  sender: MetaSender,
  customer: string,
  messageId: string,
): SendRequest {
  const body =
    sender.driver === "whatsapp_cloud"
      ? { messaging_product: "whatsapp", status: "read", message_id: messageId }
      : { recipient: { id: customer }, sender_action: "mark_seen" };
  return { ...sendPathOf(sender), body };
}
