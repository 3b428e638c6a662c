import { createHmac } from "node:crypto";
import type { MetaDriver } from "../../model/channels.ts";
import type { Template } from "../../model/message.ts";

/** Number, Page or Instagram account that sends. */
export interface MetaSender {
  driver: MetaDriver;
  externalId: string;
  /** The Page of an Instagram account that is connected by its Page. */
  parentId: string | null;
}

/** A text or a template to one customer. */
export interface OutgoingMessage {
  /** Our id. Statuses and echoes of Meta carry it back. */
  id: number;
  content: { text: string } | { template: Template };
  /** Meta's id of the message that this one answers. */
  replyToProviderId: string | null;
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
  const { driver, externalId, parentId } = sender;
  switch (driver) {
    case "whatsapp_cloud":
      return { host: "graph", path: messagesOf(externalId), body: whatsAppBody(to, message) };
    case "messenger":
      return messagingRequest("graph", externalId, messengerBody(to, message));
    case "instagram_page":
      return messagingRequest("graph", parentId ?? externalId, instagramBody(to, message));
    case "instagram_login":
      return messagingRequest("instagram", externalId, instagramBody(to, message));
  }
}

/** Proof that the caller of the Graph API has the secret of the app, in lowercase hex. */
export function appSecretProof(appSecret: string, token: string): string {
  return createHmac("sha256", appSecret).update(token, "utf8").digest("hex");
}

function messagesOf(id: string): string {
  return `/${encodeURIComponent(id)}/messages`;
}

function messagingRequest(
  host: GraphHost,
  id: string,
  body: SendRequest["body"] | null,
): SendRequest | null {
  return body === null ? null : { host, path: messagesOf(id), body };
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
      : { type: "template", template: templateOf(content.template) }),
    ...(replyToProviderId !== null && { context: { message_id: replyToProviderId } }),
    biz_opaque_callback_data: String(id),
  };
}

/** The values of a template go into its body, in their order. */
function templateOf({ name, language, params }: Template) {
  const parameters = params.map((text) => ({ type: "text", text }));
  return {
    name,
    language: { code: language },
    ...(parameters.length > 0 && { components: [{ type: "body", parameters }] }),
  };
}

function messengerBody(to: string, { id, content, replyToProviderId }: OutgoingMessage) {
  if (!("text" in content)) return null;
  return {
    recipient: { id: to },
    messaging_type: "RESPONSE",
    message: { text: content.text, metadata: String(id) },
    ...replyTo(replyToProviderId),
  };
}

/** Instagram documents neither `messaging_type` nor `metadata` for answers in the window. */
function instagramBody(to: string, { content, replyToProviderId }: OutgoingMessage) {
  if (!("text" in content)) return null;
  return {
    recipient: { id: to },
    message: { text: content.text },
    ...replyTo(replyToProviderId),
  };
}

function replyTo(mid: string | null) {
  return mid === null ? {} : { reply_to: { mid } };
}
