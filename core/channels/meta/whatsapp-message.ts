import type { InboundMessage, JsonFields } from "./inbound-item.ts";
import { joinContent, makeAttachment, makeMessage, makeUnsupported } from "./make-message.ts";
import {
  readFields,
  readId,
  readMessageId,
  readObjects,
  readText,
  type Fields,
} from "./read-json.ts";
import { storableJson } from "./storable-json.ts";

const maxCodeLength = 16;

type Reader = (id: string, message: Fields, body: Fields) => InboundMessage;

const fileTypes: ReadonlySet<string> = new Set(["image", "video", "audio", "document", "sticker"]);

/** A reader for each type of message that we know; the body stands below the name of its type. */
const readers: Readonly<Record<string, Reader>> = {
  text: (id, _message, body) =>
    makeMessage({ providerId: id, contentType: "text", content: cut(body["body"]) }),
  image: readFile("image"),
  video: readFile("video"),
  audio: readFile("audio"),
  document: readFile("document"),
  sticker: readFile("sticker"),
  location: (id, _message, body) =>
    makeMessage({ providerId: id, contentType: "location", content: nameOfPlace(body) }),
  interactive: (id, message, body) => readChoice(id, message, body),
  button: (id, _message, body) =>
    makeMessage({
      providerId: id,
      contentType: "interactive",
      content: cut(body["text"]),
      interactive: { type: "button", id: readText(body["payload"]), title: readText(body["text"]) },
    }),
  order: (id, _message, body) => readOrder(id, body),
};

/**
 * A message of WhatsApp in our words. A message of a type that is unknown or not supported keeps
 * its piece in `raw`.
 * @param id the message's id.
 * @param message the piece, with its `type` and the body below the name of the type.
 */
export function readWhatsAppMessage(id: string, message: Fields): InboundMessage {
  const type = readText(message["type"]) ?? "";
  const replyToProviderId = readMessageId(readFields(message["context"])?.["id"]);
  const referral = readFields(message["referral"]);
  return {
    ...readBody(id, type, message),
    replyToProviderId,
    referral: referral && { ...referral },
  };
}

function readBody(id: string, type: string, message: Fields): InboundMessage {
  if (type === "contacts") {
    const content = namesOf(readObjects(message["contacts"]));
    return makeMessage({ providerId: id, contentType: "contact", content });
  }
  const reader = Object.hasOwn(readers, type) ? readers[type] : undefined;
  const body = readFields(message[type]) ?? (isLostFile(type, message) ? {} : null);
  if (reader === undefined || body === null) return makeUnsupported(id, message);
  return reader(id, message, body);
}

/** WhatsApp could not fetch the file, and says so in place of it. */
function isLostFile(type: string, message: Fields): boolean {
  return fileTypes.has(type) && readObjects(message["errors"]).length > 0;
}

/** Code of the first error of a message, or null. */
function readErrorCode(message: Fields): string | null {
  const [error] = readObjects(message["errors"]);
  return error === undefined ? null : (readId(error["code"], maxCodeLength) ?? "unknown");
}

function readFile(kind: "image" | "video" | "audio" | "document" | "sticker"): Reader {
  return (id, message, body) =>
    makeMessage({
      providerId: id,
      contentType: kind,
      content: cut(body["caption"]),
      attachments: [
        makeAttachment({
          kind,
          providerMediaId: readText(body["id"]),
          url: readText(body["url"]),
          mime: readText(body["mime_type"]),
          sha256: readText(body["sha256"]),
          filename: readText(body["filename"]),
          voice: body["voice"] === true,
          errorCode: readErrorCode(message),
        }),
      ],
    });
}

const choiceTypes: ReadonlySet<string> = new Set(["button_reply", "list_reply", "nfm_reply"]);

/** A press on a button, a row of a list, or a form that was filled in. */
function readChoice(id: string, message: Fields, body: Fields): InboundMessage {
  const type = readText(body["type"]) ?? "";
  const chosen = choiceTypes.has(type) ? readFields(body[type]) : null;
  if (chosen === null) return makeUnsupported(id, message);
  if (type === "nfm_reply") {
    const name = readText(chosen["name"]);
    const content = joinContent([readText(chosen["body"]) ?? name], "");
    const interactive = { type, name, response: parsed(chosen["response_json"]) };
    return makeMessage({ providerId: id, contentType: "interactive", content, interactive });
  }
  const interactive: JsonFields = {
    type,
    id: readText(chosen["id"]),
    title: readText(chosen["title"]),
    description: readText(chosen["description"]),
  };
  const content = cut(chosen["title"]);
  return makeMessage({ providerId: id, contentType: "interactive", content, interactive });
}

function readOrder(id: string, body: Fields): InboundMessage {
  const items = readObjects(body["product_items"]);
  const lines = items.map((item) => {
    const product = readText(item["product_retailer_id"]) ?? "?";
    return `${readText(item["quantity"]) ?? "1"} × ${product}`;
  });
  return makeMessage({
    providerId: id,
    contentType: "interactive",
    content: joinContent([readText(body["text"]), ...lines], "\n"),
    interactive: { type: "order", catalog_id: readText(body["catalog_id"]), items },
  });
}

/** Name and address of a place, else its latitude and longitude. */
export function nameOfPlace(place: Fields): string | null {
  const named = joinContent([readText(place["name"]), readText(place["address"])], ", ");
  const at = [place["latitude"], place["longitude"]];
  return named ?? (at.every((one) => typeof one === "number") ? at.join(", ") : null);
}

function namesOf(contacts: readonly Fields[]): string | null {
  const names = contacts.map((contact) => {
    const name = readFields(contact["name"]);
    const [phone] = readObjects(contact["phones"]);
    return (
      readText(name?.["formatted_name"]) ??
      readText(name?.["first_name"]) ??
      readText(phone?.["phone"])
    );
  });
  return joinContent(names, ", ");
}

/** The fields of a form, which are JSON within a text. */
function parsed(value: unknown): unknown {
  const text = readText(value);
  if (text === null) return value ?? null;
  try {
    return storableJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function cut(value: unknown): string | null {
  return joinContent([readText(value)], "");
}
