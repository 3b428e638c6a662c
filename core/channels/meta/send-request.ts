import type { MetaDriver } from "../../model/channels.ts";
import type { SentInteractive } from "../../model/interactive.ts";
import { writeCallbackData } from "./callback-data.ts";
import { quickReplies, whatsAppInteractive } from "./interactive-message.ts";
import type { GraphTemplate } from "./template-message.ts";

/** Number, Page or Instagram account that sends. */
export interface MetaSender {
  driver: MetaDriver;
  externalId: string;
  /** The Page of an Instagram account that is connected by its Page. */
  parentId: string | null;
}

/** Kinds of files that can be sent. */
export type FileKind = "image" | "audio" | "video" | "document";

/** A file that Meta has, or reads by a link. */
export interface GraphFile {
  kind: FileKind;
  source: { id: string } | { link: string };
  /** For WhatsApp alone. Elsewhere the caption is a message of its own. */
  caption: string | null;
  filename: string | null;
}

/** Content of a message. */
export type OutgoingContent =
  | { text: string; choices?: SentInteractive }
  | { template: GraphTemplate }
  | { file: GraphFile };

/** A message to one customer. */
export interface OutgoingMessage {
  /** Our id. Statuses and echoes of Meta carry it back. */
  id: number;
  content: OutgoingContent;
  /** This is a file, and its caption follows. */
  hasMore?: boolean;
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

/**
 * The request that takes a conversation from another app of the Page.
 * @returns null where a channel has no such call
 */
export function buildTakeRequest(
  { driver, externalId, parentId }: MetaSender,
  to: string,
): SendRequest | null {
  const page = driver === "instagram_page" ? parentId : driver === "messenger" ? externalId : null;
  if (page === null) return null;
  const path = `/${encodeURIComponent(page)}/take_thread_control`;
  return { host: "graph", path, body: { recipient: { id: to } } };
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
function whatsAppBody(to: string, message: OutgoingMessage) {
  const { id: messageId, content, replyToProviderId, hasMore = false } = message;
  return {
    messaging_product: "whatsapp",
    recipient_type: "individual",
    ...(/^\d+$/u.test(to) ? { to } : { recipient: to }),
    ...whatsAppContent(content),
    ...(replyToProviderId !== null && { context: { message_id: replyToProviderId } }),
    biz_opaque_callback_data: writeCallbackData({ messageId, hasMore }),
  };
}

function whatsAppContent(content: OutgoingContent) {
  if ("text" in content) {
    if (content.choices !== undefined) {
      return { type: "interactive", interactive: whatsAppInteractive(content.choices) };
    }
    return { type: "text", text: { preview_url: false, body: content.text } };
  }
  if ("template" in content) return { type: "template", template: content.template };
  const { kind, source, caption, filename } = content.file;
  const hasName = kind === "document" && filename !== null;
  const named = { ...(caption !== null && { caption }), ...(hasName && { filename }) };
  return { type: kind, [kind]: { ...source, ...named } };
}

function messengerBody(to: string, message: OutgoingMessage) {
  const body = instagramBody(to, message);
  return body === null ? null : { messaging_type: "RESPONSE", ...body };
}

/** Instagram takes `messaging_type` with a tag alone. */
function instagramBody(to: string, message: OutgoingMessage) {
  const { id: messageId, content, replyToProviderId, tagged, hasMore = false } = message;
  if ("template" in content) return null;
  const metadata = writeCallbackData({ messageId, hasMore });
  const shown = "text" in content ? textOf(content) : attachmentOf(content.file);
  return {
    recipient: { id: to },
    message: { ...shown, metadata },
    ...(tagged && { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" }),
    ...(replyToProviderId !== null && { reply_to: { mid: replyToProviderId } }),
  };
}

function textOf({ text, choices }: { text: string; choices?: SentInteractive }) {
  return choices === undefined ? { text } : { text, quick_replies: quickReplies(choices) };
}

function attachmentOf({ kind, source }: GraphFile) {
  const payload = "id" in source ? { attachment_id: source.id } : { url: source.link };
  return { attachment: { type: kind === "document" ? "file" : kind, payload } };
}
