import type { MetaDriver } from "../../model/channels.ts";
import type { GraphTemplate } from "./template-message.ts";

/** Number, Page or Instagram account that sends. */
export interface MetaSender {
  driver: MetaDriver;
  externalId: string;
  /** The Page of an Instagram account that is connected by its Page. */
  parentId: string | null;
}

/** Content of a message. */
export type OutgoingContent = { text: string } | { template: GraphTemplate };

/** A message to one customer. */
export interface OutgoingMessage {
  /** Our id. Statuses and echoes of Meta carry it back. */
  id: number;
  content: OutgoingContent;
  /** Meta's id of the message that this one answers. */
  replyToProviderId: string | null;
  /** A person answers after the window of 24 hours. */
  tagged: boolean;
}

/** The two hosts of Meta's API. */
export type GraphHost = "graph" | "instagram";

/** A POST to the Graph API. `path` begins after the version. */
export interface SendRequest {
  host: GraphHost;
  path: string;
  body: Readonly<Record<string, unknown>>;
}

/**
 * The request that sends a message.
 * @param to the customer's id: on WhatsApp digits of the phone or the id of a user
 * @returns null for a template on a network without templates
 */
export function buildSendRequest(
  sender: MetaSender,
  to: string,
  message: OutgoingMessage,
): SendRequest | null {
  const body = bodyOf(sender, to, message);
  return body === null ? null : { ...sendPathOf(sender), body };
}

/** Where a number, Page or account sends. An Instagram account of a Page sends by the Page. */
export function sendPathOf({ driver, externalId, parentId }: MetaSender) {
  const host: GraphHost = driver === "instagram_login" ? "instagram" : "graph";
  const id = driver === "instagram_page" ? (parentId ?? externalId) : externalId;
  return { host, path: `/${encodeURIComponent(id)}/messages` };
}

function bodyOf(
  { driver }: MetaSender,
  to: string,
  message: OutgoingMessage,
): SendRequest["body"] | null {
  switch (driver) {
    case "whatsapp_cloud":
      return whatsAppBody(to, message);
    case "messenger":
      return messengerBody(to, message);
    case "instagram_page":
    case "instagram_login":
      return instagramBody(to, message);
  }
}

/**
 * The id of a user begins with letters, a phone has digits alone. Meta answers 200 to the id of a
 * user in `to`, and sends nothing.
 */
function whatsAppBody(to: string, { id, content, replyToProviderId }: OutgoingMessage) {
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(/^\d+$/u.test(to) ? { to } : { recipient: to }),
    ...("text" in content
      ? { type: "text", text: { preview_url: false, body: content.text } }
      : { type: "template", template: content.template }),
    ...(replyToProviderId !== null && { context: { message_id: replyToProviderId } }),
    biz_opaque_callback_data: String(id),
  };
}

function messengerBody(to: string, message: OutgoingMessage) {
  const body = instagramBody(to, message);
  return body === null ? null : { messaging_type: "RESPONSE", ...body };
}

/** Instagram takes `messaging_type` with a tag alone. */
function instagramBody(to: string, { id, content, replyToProviderId, tagged }: OutgoingMessage) {
  if (!("text" in content)) return null;
  return {
    recipient: { id: to },
    message: { text: content.text, metadata: String(id) },
    ...(tagged && { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" }),
    ...(replyToProviderId !== null && { reply_to: { mid: replyToProviderId } }),
  };
}
