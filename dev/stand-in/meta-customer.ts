import { randomBytes } from "node:crypto";
import type { MetaAccount, MetaCustomer } from "./meta-accounts.ts";
import { hashOf, type MetaFile } from "./meta-media.ts";
import type { MetaPiece } from "./meta-wire.ts";

/** Something that a customer, or the network's own app, does. */
export interface MetaDeed {
  kind: MetaKind;
  /** Text, caption, title or emoji. Empty with `reaction`: taken back. */
  text?: string;
  /** Id of the message that is answered, reacted to, edited or revoked. */
  targetId?: string;
  /** Id of the option that a button, row or quick reply stands for. */
  choiceId?: string;
  /** Id of this message; a new one unless given. */
  id?: string;
  /** Age of the deed in seconds. */
  agoSeconds?: number;
  /** URL of media at Messenger and Instagram; at WhatsApp the id of media. */
  media?: string;
  /** The file behind an id of media; unset for one that nobody knows. */
  file?: MetaFile | undefined;
}

/** Deeds that the stand-in knows. Some exist at one network alone. */
export const metaKinds = [
  "text",
  "image",
  "video",
  "audio",
  "document",
  "sticker",
  "location",
  "contact",
  "button",
  "list",
  "order",
  "reaction",
  "edit",
  "revoke",
  "story_reply",
  "read",
  "echo",
  "number_change",
  "unsupported",
] as const;
export type MetaKind = (typeof metaKinds)[number];

/** A new id of a message, in the way of the network. */
export function newMessageId(account: MetaAccount): string {
  const random = randomBytes(18);
  if (account.network === "whatsapp") return `wamid.${random.toString("base64")}`;
  return `${account.network === "messenger" ? "m_" : "aWdf"}${random.toString("base64url")}`;
}

/** A deed as the network reports it. @throws Error where the network has no such deed */
export function describeDeed(
  account: MetaAccount,
  customer: MetaCustomer,
  deed: MetaDeed,
): { id: string; piece: MetaPiece } {
  const id = deed.id ?? newMessageId(account);
  const at = Date.now() - (deed.agoSeconds ?? 0) * 1_000;
  const piece =
    account.network === "whatsapp"
      ? describeWhatsApp(account, customer, deed, { id, at })
      : describeMessaging(account, customer, deed, { id, at });
  return { id, piece };
}

interface Moment {
  id: string;
  /** Epoch milliseconds. */
  at: number;
}

function describeWhatsApp(
  account: MetaAccount,
  customer: MetaCustomer,
  deed: MetaDeed,
  { id, at }: Moment,
): MetaPiece {
  const timestamp = String(Math.floor(at / 1_000));
  if (deed.kind === "echo") {
    const to = {
      ...(customer.id !== undefined && { to: customer.id }),
      to_user_id: customer.userId,
    };
    const from = account.name.replaceAll(/\D/gu, "");
    const echo = { from, ...to, id, timestamp, type: "text", text: { body: deed.text ?? "" } };
    return { account, field: "smb_message_echoes", value: { message_echoes: [echo] } };
  }
  const message = {
    ...(customer.id !== undefined && { from: customer.id }),
    ...(customer.userId !== undefined && { from_user_id: customer.userId }),
    id,
    timestamp,
    ...whatsAppBody(customer, deed),
  };
  const contact = {
    profile: { name: customer.name },
    ...(customer.id !== undefined && { wa_id: customer.id }),
    ...(customer.userId !== undefined && { user_id: customer.userId }),
  };
  return { account, field: "messages", value: { contacts: [contact], messages: [message] } };
}

function whatsAppBody(customer: MetaCustomer, deed: MetaDeed): Record<string, unknown> {
  const { text = "", targetId, kind } = deed;
  const context = targetId === undefined ? {} : { context: { id: targetId } };
  switch (kind) {
    case "text":
      return { type: "text", text: { body: text }, ...context };
    case "image":
    case "video":
    case "audio":
    case "document":
    case "sticker":
      return { type: kind, [kind]: whatsAppMedia(kind, deed), ...context };
    case "location": {
      const place = { latitude: 19.4326, longitude: -99.1332, name: text || "Zócalo" };
      return { type: "location", location: place };
    }
    case "contact": {
      const name = { formatted_name: text || customer.name };
      return { type: "contacts", contacts: [{ name, phones: [{ phone: "+52 55 1234 5678" }] }] };
    }
    case "button":
    case "list": {
      const type = `${kind}_reply`;
      return {
        type: "interactive",
        interactive: { type, [type]: { id: deed.choiceId ?? "1", title: text } },
        ...context,
      };
    }
    case "order": {
      const item = { product_retailer_id: "sku-1", quantity: 2, item_price: 30, currency: "MXN" };
      return { type: "order", order: { catalog_id: "1", text, product_items: [item] } };
    }
    case "reaction":
      return { type: "reaction", reaction: { message_id: requireTarget(deed), emoji: text } };
    case "edit": {
      const message = { type: "text", text: { body: text } };
      return { type: "edit", edit: { original_message_id: requireTarget(deed), message } };
    }
    case "revoke":
      return { type: "revoke", revoke: { original_message_id: requireTarget(deed) } };
    case "number_change": {
      const body = `${customer.name} changed the number.`;
      return { type: "system", system: { type: "user_changed_number", body, wa_id: text } };
    }
    case "unsupported":
      return { type: kind, errors: [{ code: 131_051, title: "Message type unknown" }] };
    case "story_reply":
    case "read":
    case "echo":
      throw new Error(`WhatsApp has no ${kind} of a customer.`);
  }
}

const whatsAppMimes = {
  image: "image/png",
  video: "video/mp4",
  audio: "audio/ogg; codecs=opus",
  document: "application/pdf",
  sticker: "image/webp",
} as const;

/** Audio and stickers have no caption. */
function whatsAppMedia(
  kind: keyof typeof whatsAppMimes,
  { text = "", media, file }: MetaDeed,
): object {
  const hasCaption = text !== "" && kind !== "audio" && kind !== "sticker";
  return {
    id: media ?? "1908647269898587",
    mime_type: file?.mime ?? whatsAppMimes[kind],
    sha256: file === undefined ? "a".repeat(43) : hashOf(file, "base64"),
    ...(hasCaption && { caption: text }),
    ...(kind === "audio" && { voice: true }),
    ...(kind === "document" && { filename: file?.filename ?? "análisis.pdf" }),
  };
}

function requireTarget({ kind, targetId }: MetaDeed): string {
  if (targetId !== undefined && targetId !== "") return targetId;
  throw new Error(`${kind} needs the id of a message.`);
}

function describeMessaging(
  account: MetaAccount,
  customer: MetaCustomer,
  deed: MetaDeed,
  { id, at }: Moment,
): MetaPiece {
  const them = { id: customer.id ?? "" };
  const us = { id: account.id };
  const [sender, recipient] = deed.kind === "echo" ? [us, them] : [them, us];
  const part = messagingPart(account, deed, { id, at });
  return { account, field: "messaging", value: { sender, recipient, timestamp: at, ...part } };
}

const attachmentTypes = {
  image: "image",
  video: "video",
  audio: "audio",
  document: "file",
} as const;

function messagingPart(
  account: MetaAccount,
  deed: MetaDeed,
  { id: mid, at }: Moment,
): Record<string, unknown> {
  const { text = "", targetId, media = "https://example.com/media.png", kind } = deed;
  const reply = targetId === undefined ? {} : { reply_to: { mid: targetId } };
  switch (kind) {
    case "text":
      return { message: { mid, text, ...reply } };
    case "image":
    case "video":
    case "audio":
    case "document": {
      const attachment = { type: attachmentTypes[kind], payload: { url: media } };
      return {
        message: { mid, ...(text !== "" && { text }), attachments: [attachment], ...reply },
      };
    }
    case "sticker": {
      const payload = { url: media, sticker_id: 369_239_263_222_822 };
      return { message: { mid, attachments: [{ type: "image", payload }] } };
    }
    case "button":
      return {
        message: { mid, text, quick_reply: { payload: deed.choiceId ?? "OPTION_1" }, ...reply },
      };
    case "list":
      return { postback: { mid, title: text, payload: "OPTION_1" } };
    case "reaction": {
      const target = { mid: requireTarget(deed) };
      if (text === "") return { reaction: { ...target, action: "unreact" } };
      return { reaction: { ...target, action: "react", reaction: "other", emoji: text } };
    }
    case "edit":
      return { message_edit: { mid: requireTarget(deed), text, num_edit: 1 } };
    case "revoke":
      return { message: { mid: requireTarget(deed), is_deleted: true } };
    case "story_reply": {
      const story = { url: "https://example.com/story.jpg", id: "17900000000000001" };
      return { message: { mid, text, reply_to: { story } } };
    }
    case "read":
      if (account.network === "messenger") return { read: { watermark: at } };
      return { read: { mid: requireTarget(deed) } };
    case "echo":
      return { message: { mid, text, is_echo: true } };
    case "unsupported":
      return { message: { mid, is_unsupported: true } };
    case "location":
    case "contact":
    case "order":
    case "number_change":
      throw new Error(`${account.network} has no ${kind} of a customer.`);
  }
}
