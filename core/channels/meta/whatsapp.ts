import type { ReportedStatus } from "../../model/message.ts";
import type { CustomerProfile, InboundItem, ProviderError } from "./inbound-item.ts";
import { makeProfile } from "./make-message.ts";
import { accountItem, keyOf, readPieces, unreadable, type Place } from "./pieces.ts";
import {
  readFields,
  readList,
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
  return readObjects(entry["changes"]).flatMap((change) => {
    const field = readText(change["field"]) ?? "unknown";
    const value = readFields(change["value"]);
    const number = readText(readFields(value?.["metadata"])?.["phone_number_id"]);
    const externalId = number ?? readText(entry["id"]) ?? "";
    const place: Place = { network: "whatsapp", externalId, standby: field === "standby" };
    if (value === null) return [unreadable(place, change, "no_value")];
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
        return [accountItem(place, field, value, readTime(entry["time"]))];
    }
  });
}

function readInbound(place: Place, value: Fields, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readText(fields?.["id"]);
  if (fields === null || id === null) return unreadable(place, piece, "no_id");
  if (readText(fields["group_id"]) !== null) return unreadable(place, piece, "group", "group");
  const from = readSender(value, fields);
  const customer = from.waId ?? from.userId;
  if (customer === null) return unreadable(place, piece, "no_sender");
  const head = { ...place, customer, providerKey: id, at: readTime(fields["timestamp"]) };
  switch (fields["type"]) {
    case "reaction": {
      const reaction = readFields(fields["reaction"]);
      const targetId = readText(reaction?.["message_id"]);
      if (targetId === null) return unreadable(place, piece, "no_target");
      return { ...head, kind: "reaction", from, targetId, emoji: readText(reaction?.["emoji"]) };
    }
    case "edit": {
      const edit = readFields(fields["edit"]);
      const targetId = readText(edit?.["original_message_id"]);
      const changed = readFields(edit?.["message"]);
      if (targetId === null || changed === null) return unreadable(place, piece, "no_target");
      const text = readWhatsAppMessage(id, changed).content ?? "";
      return { ...head, kind: "edit", from, targetId, text };
    }
    case "revoke": {
      const targetId = readText(readFields(fields["revoke"])?.["original_message_id"]);
      if (targetId === null) return unreadable(place, piece, "no_target");
      return { ...head, kind: "revoke", from, targetId };
    }
    case "system":
      return readSystem(head, place, from, fields);
    default:
      return { ...head, kind: "message", from, message: readWhatsAppMessage(id, fields) };
  }
}

/** A new number or a new id of the person; other notices of the system change nothing here. */
function readSystem(
  head: Place & { customer: string; providerKey: string; at: string | null },
  place: Place,
  from: CustomerProfile,
  fields: Fields,
): InboundItem {
  const system = readFields(fields["system"]);
  const newWaId = readText(system?.["wa_id"]) ?? readText(system?.["new_wa_id"]);
  const newUserId = readText(system?.["user_id"]);
  if (newWaId === null && newUserId === null) {
    return accountItem(place, "system", fields, head.at);
  }
  const previousUserId = readText(system?.["previous_user_id"]);
  return { ...head, kind: "number_change", from, newWaId, newUserId, previousUserId };
}

/** The sender with the profile of the same person: contacts and messages may differ in order. */
function readSender(value: Fields, message: Fields): CustomerProfile {
  const waId = readText(message["from"]);
  const userId = readText(message["from_user_id"]);
  const contact = readObjects(value["contacts"]).find(
    (one) =>
      (waId !== null && readText(one["wa_id"]) === waId) ||
      (userId !== null && readText(one["user_id"]) === userId),
  );
  const profile = readFields(contact?.["profile"]);
  const knownWaId = waId ?? readText(contact?.["wa_id"]);
  return makeProfile({
    phone: readPhone(knownWaId) ?? readPhone(sharedNumber(message)),
    waId: knownWaId,
    userId: userId ?? readText(contact?.["user_id"]),
    parentUserId: readText(message["from_parent_user_id"]) ?? readText(contact?.["parent_user_id"]),
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

/** A message that a person of the company wrote in the phone's app. */
function readEcho(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readText(fields?.["id"]);
  const waId = readText(fields?.["to"]);
  const userId = readText(fields?.["to_user_id"]);
  const customer = waId ?? userId;
  if (fields === null || id === null || customer === null) return unreadable(place, piece, "no_id");
  const to = makeProfile({ phone: readPhone(waId), waId, userId });
  const head = { ...place, customer, providerKey: id, at: readTime(fields["timestamp"]) };
  return {
    ...head,
    kind: "echo",
    to,
    message: readWhatsAppMessage(id, fields),
    byAutomation: false,
  };
}

const statuses: Readonly<Record<string, ReportedStatus>> = {
  sent: "sent",
  delivered: "delivered",
  read: "read",
  played: "read",
  failed: "failed",
};

function readStatus(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const id = readText(fields?.["id"]);
  const word = readText(fields?.["status"]);
  const status = word === null ? undefined : statuses[word];
  if (fields === null || id === null || status === undefined) {
    return unreadable(place, piece, "no_status");
  }
  if (fields["recipient_type"] === "group") return unreadable(place, piece, "group", "group");
  const recipient = readText(fields["recipient_id"]) ?? readText(fields["recipient_user_id"]);
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

/** The app that gets a conversation is told of the pass, and the app that loses it of the take. */
export function readHandover(place: Place, piece: unknown): InboundItem {
  const fields = readFields(piece);
  const passed = readFields(fields?.["pass_thread_control"]);
  const taken = readFields(fields?.["take_thread_control"]);
  const sender = readFields(fields?.["sender"]);
  const customer =
    readText(sender?.["wa_id"]) ?? readText(sender?.["id"]) ?? readText(sender?.["user_id"]);
  if ((passed ?? taken) === null || customer === null) {
    return accountItem(place, "messaging_handovers", piece, null);
  }
  const at = readTime(fields?.["timestamp"]);
  return {
    ...place,
    kind: "handover",
    customer,
    providerKey: keyOf(piece),
    at,
    toUs: passed !== null,
  };
}
