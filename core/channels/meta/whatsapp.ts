import type { ReportedStatus } from "../../model/message.ts";
import { readHandover } from "./handover.ts";
import type { CustomerProfile, InboundItem, ProviderError } from "./inbound-item.ts";
import { makeProfile } from "./make-message.ts";
import { accountItem, readPieces, unreadable, type Place } from "./pieces.ts";
import {
  maxExternalIdLength,
  readEmoji,
  readFields,
  readId,
  readList,
  readMessageId,
  readNumber,
  readObjects,
  readPhone,
  readText,
  readTime,
  type Fields,
} from "./read-json.ts";
import { readWhatsAppMessage } from "./whatsapp-message.ts";

/** Items of one entry: an account of WhatsApp Business with the changes of its numbers. */
export function splitWhatsAppEntry(entry: Fields): InboundItem[] {
  const accountId = readId(entry["id"], maxExternalIdLength) ?? "";
  const place: Place = { network: "whatsapp", externalId: accountId, standby: false };
  return readPieces(place, readList(entry["changes"]), (piece) => {
    const change = readFields(piece);
    const value = readFields(change?.["value"]);
    if (change === null || value === null) return unreadable(place, piece, "no_value");
    const number = readId(readFields(value["metadata"])?.["phone_number_id"], maxExternalIdLength);
    const field = readText(change["field"]) ?? "unknown";
    const at = readTime(entry["time"]);
    const where = { ...place, externalId: number ?? accountId, standby: field === "standby" };
    const items = readChange(where, field, value);
    return items.length > 0 ? items : accountItem(where, field, value, at);
  });
}

/** Items of a change of a number; none where the field or the value is not about messages. */
function readChange(place: Place, field: string, value: Fields): InboundItem[] {
  switch (field) {
    case "messages":
    case "standby":
      return [
        ...readPieces(place, readList(value["messages"]), (piece) =>
          readInbound(place, value, piece),
        ),
        ...readPieces(place, readList(value["statuses"]), (piece) => readStatus(place, piece)),
        ...readPieces(place, readList(value["errors"]), (piece) =>
          accountItem(place, "errors", piece, null),
        ),
      ];
    case "smb_message_echoes":
      return readPieces(place, readList(value["message_echoes"]), (piece) =>
        readEcho(place, piece),
      );
    case "messaging_handovers":
      return readPieces(place, handoversOf(value), (piece) => readHandover(place, piece));
    default:
      return [];
  }
}

function readInbound(place: Place, value: Fields, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readMessageId(fields?.["id"]);
  if (fields === null || id === null) return unreadable(place, piece, "no_id");
  if (readText(fields["group_id"]) !== null) return unreadable(place, piece, "group", "group");
  const from = readSender(value, fields);
  const previous = readId(readFields(fields["system"])?.["previous_user_id"]);
  const customer = from.waId ?? previous ?? from.userId;
  if (customer === null) return unreadable(place, piece, "no_sender");
  const head = { ...place, customer, providerKey: id, at: readTime(fields["timestamp"]) };
  switch (fields["type"]) {
    case "reaction": {
      const reaction = readFields(fields["reaction"]);
      const targetId = readMessageId(reaction?.["message_id"]);
      if (targetId === null) return unreadable(place, piece, "no_target");
      return { ...head, kind: "reaction", from, targetId, emoji: readEmoji(reaction?.["emoji"]) };
    }
    case "edit":
    case "revoke":
      return readCorrection(head, from, fields);
    case "system":
      return readSystem(head, place, from, fields);
    default:
      return { ...head, kind: "message", from, message: readWhatsAppMessage(id, fields) };
  }
}

type Head = Place & { customer: string; providerKey: string; at: string | null };

/** An edit or a removal of an earlier message, by the customer or in the phone's app. */
function readCorrection(head: Head, from: CustomerProfile, fields: Fields): InboundItem {
  const part = readFields(fields["edit"]) ?? readFields(fields["revoke"]);
  const targetId = readMessageId(part?.["original_message_id"]);
  if (targetId === null) return unreadable(head, fields, "no_target");
  if (fields["type"] === "revoke") return { ...head, kind: "revoke", from, targetId };
  const changed = readFields(part?.["message"]);
  if (changed === null) return unreadable(head, fields, "no_text");
  const text = readWhatsAppMessage(targetId, changed).content ?? "";
  return { ...head, kind: "edit", from, targetId, text };
}

/** A new number or a new id of the person; other notices of the system change nothing here. */
function readSystem(head: Head, place: Place, from: CustomerProfile, fields: Fields): InboundItem {
  const system = readFields(fields["system"]);
  const newWaId = readId(system?.["wa_id"]) ?? readId(system?.["new_wa_id"]);
  const newUserId = readId(system?.["user_id"]);
  if (newWaId === null && newUserId === null) {
    return accountItem(place, "system", fields, head.at);
  }
  const previousUserId = readId(system?.["previous_user_id"]);
  // The message may name its sender by the new id already; the customer is known by the old one.
  const userId = from.userId === newUserId ? previousUserId : (from.userId ?? previousUserId);
  const before = { ...from, userId };
  return { ...head, kind: "number_change", from: before, newWaId, newUserId, previousUserId };
}

/** The sender with the profile of the same person: contacts and messages may differ in order. */
function readSender(value: Fields, message: Fields): CustomerProfile {
  const waId = readId(message["from"]);
  const userId = readId(message["from_user_id"]);
  const contact = readObjects(value["contacts"]).find(
    (one) =>
      (waId !== null && readText(one["wa_id"]) === waId) ||
      (userId !== null && readText(one["user_id"]) === userId),
  );
  const profile = readFields(contact?.["profile"]);
  const knownWaId = waId ?? readId(contact?.["wa_id"]);
  return makeProfile({
    phone: readPhone(knownWaId) ?? readPhone(sharedNumber(message)),
    waId: knownWaId,
    userId: userId ?? readId(contact?.["user_id"]),
    parentUserId: readId(message["from_parent_user_id"]) ?? readId(contact?.["parent_user_id"]),
    name: readText(profile?.["name"]),
    username: readText(profile?.["username"])?.replace(/^@/, "") ?? null,
  });
}

/** The own number of a person who was asked for it; other shared contacts are somebody else's. */
function sharedNumber(message: Fields): string | null {
  const [shared] = readObjects(message["contacts"]);
  if (shared?.["origin"] !== "contact_request") return null;
  const [phone] = readObjects(shared["phones"]);
  return readText(phone?.["wa_id"]) ?? readText(phone?.["phone"])?.replaceAll(/\D/g, "") ?? null;
}

/** WhatsApp echoes what people write in the phone's app. */
const noApp = { callbackData: null, appId: null, byAutomation: false } as const;

/** A message that a person of the company wrote in the phone's app. */
function readEcho(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readMessageId(fields?.["id"]);
  const waId = readId(fields?.["to"]);
  const userId = readId(fields?.["to_user_id"]);
  const customer = waId ?? userId;
  if (fields === null || id === null || customer === null) return unreadable(place, piece, "no_id");
  const to = makeProfile({ phone: readPhone(waId), waId, userId });
  const head = { ...place, customer, providerKey: id, at: readTime(fields["timestamp"]) };
  switch (fields["type"]) {
    case "edit":
    case "revoke":
      return readCorrection(head, to, fields);
    case "reaction":
      // Only reactions of customers are kept.
      return accountItem(place, "reaction_echo", fields, head.at);
    default: {
      const message = readWhatsAppMessage(id, fields);
      return { ...head, kind: "echo", to, message, ...noApp };
    }
  }
}

const statuses: ReadonlyMap<string, ReportedStatus> = new Map([
  ["sent", "sent"],
  ["delivered", "delivered"],
  ["read", "read"],
  ["played", "read"],
  ["failed", "failed"],
]);

function readStatus(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readMessageId(fields?.["id"]);
  const word = readText(fields?.["status"]);
  const status = word === null ? undefined : statuses.get(word);
  if (fields === null || id === null || status === undefined) {
    return unreadable(place, piece, "no_status");
  }
  if (fields["recipient_type"] === "group") return unreadable(place, piece, "group", "group");
  const recipient = readId(fields["recipient_id"]) ?? readId(fields["recipient_user_id"]);
  const [error] = readObjects(fields["errors"]);
  return {
    ...place,
    kind: "status",
    customer: recipient,
    providerKey: `${id} ${word}`,
    at: readTime(fields["timestamp"]),
    messageId: id,
    callbackData: readText(fields["biz_opaque_callback_data"]),
    status,
    watermark: null,
    error: status === "failed" ? readError(error) : null,
    recipient,
  };
}

function readError(error: Fields | undefined): ProviderError {
  return {
    code: readNumber(error?.["code"]) ?? 0,
    subcode: readNumber(error?.["error_subcode"]),
    title: readText(error?.["title"]) ?? readText(error?.["message"]) ?? "",
  };
}

function handoversOf(value: Fields): readonly unknown[] {
  const list = readList(value["messaging_handovers"]);
  return list.length > 0 ? list : [value];
}
