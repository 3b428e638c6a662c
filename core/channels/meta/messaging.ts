import { readHandover } from "./handover.ts";
import type { CustomerProfile, InboundItem, MetaNetwork } from "./inbound-item.ts";
import { joinContent, makeMessage, makeProfile } from "./make-message.ts";
import { readMessagingMessage } from "./messaging-message.ts";
import { accountItem, keyOf, readPieces, unreadable, type Place } from "./pieces.ts";
import {
  maxExternalIdLength,
  readEmoji,
  readFields,
  readId,
  readList,
  readMessageId,
  readNumber,
  readText,
  readTime,
  type Fields,
} from "./read-json.ts";

/** The Page's own inbox at Meta, where people write; any other app that sends is a program. */
const pageInboxApp = "263902037430900";

/** Items of one entry: a Page or an Instagram account with what happened in its conversations. */
export function splitMessagingEntry(network: MetaNetwork, entry: Fields): InboundItem[] {
  const externalId = readId(entry["id"], maxExternalIdLength) ?? "";
  const place: Place = { network, externalId, standby: false };
  const standby: Place = { ...place, standby: true };
  return [
    ...readPieces(place, readList(entry["messaging"]), (piece) => readEvent(place, piece)),
    ...readPieces(standby, readList(entry["standby"]), (piece) => readEvent(standby, piece)),
    ...readPieces(place, readList(entry["changes"]), (piece) => {
      const change = readFields(piece);
      const field = readText(change?.["field"]) ?? "unknown";
      // Meta's test button sends an event of a conversation as a change.
      if (readFields(readFields(change?.["value"])?.["sender"]) !== null) {
        return readEvent({ ...place, standby: field === "standby" }, change?.["value"]);
      }
      return accountItem(place, field, change?.["value"] ?? null, readTime(entry["time"]));
    }),
  ];
}

/** One event: who it is about, and the part that says what it is. */
interface Event {
  place: Place;
  fields: Fields;
  part: Fields;
  /** The company did it, not the customer. */
  isOwn: boolean;
  /** Id of the customer for this Page or account. */
  customer: string;
  at: string | null;
}

type Reader = (event: Event) => InboundItem | InboundItem[];

/** A reader for each part that an event may have; the first one that is there is read. */
const readers: readonly (readonly [string, Reader])[] = [
  ["message", readMessage],
  ["message_edit", readEdit],
  ["postback", readPostback],
  ["reaction", readReaction],
  ["delivery", (event) => readStatus(event, "delivered")],
  ["read", (event) => readStatus(event, "read")],
  ["pass_thread_control", ({ place, fields }) => readHandover(place, fields)],
  ["take_thread_control", ({ place, fields }) => readHandover(place, fields)],
  ["referral", readReferral],
];

function readEvent(place: Place, piece: unknown): InboundItem | InboundItem[] {
  const fields = readFields(piece);
  if (fields === null) return unreadable(place, piece, "no_event");
  const at = readTime(fields["timestamp"]);
  for (const [name, read] of readers) {
    const part = readFields(fields[name]);
    if (part === null) continue;
    const sender = readId(readFields(fields["sender"])?.["id"]);
    const recipient = readId(readFields(fields["recipient"])?.["id"]);
    const isOwn = part["is_echo"] === true || sender === place.externalId;
    const customer = isOwn ? recipient : sender;
    if (customer === null) return unreadable(place, piece, "no_sender");
    // A note of the company to itself.
    if (customer === place.externalId) return accountItem(place, "self", fields, at);
    return read({ place, fields, part, isOwn, customer, at });
  }
  return accountItem(place, Object.keys(fields).toSorted().join(","), fields, at);
}

function headOf({ place, customer, at }: Event, providerKey: string) {
  return { ...place, customer, at, providerKey };
}

function profileOf({ customer }: Event): CustomerProfile {
  return makeProfile({ pageScopedId: customer });
}

function readMessage(event: Event): InboundItem {
  const { place, fields, part, isOwn } = event;
  const id = readMessageId(part["mid"]);
  if (id === null) return unreadable(place, fields, "no_id");
  const head = headOf(event, id);
  const from = profileOf(event);
  if (part["is_deleted"] === true) return { ...head, kind: "revoke", from, targetId: id };
  const message = readMessagingMessage(id, part);
  if (!isOwn) return { ...head, kind: "message", from, message };
  const app = readText(part["app_id"]);
  return {
    ...head,
    kind: "echo",
    to: from,
    message,
    callbackData: readText(part["metadata"]),
    appId: app,
    byAutomation: app !== null && app !== pageInboxApp,
  };
}

function readEdit(event: Event): InboundItem {
  const { place, fields, part } = event;
  const targetId = readMessageId(part["mid"]);
  if (targetId === null) return unreadable(place, fields, "no_target");
  const text = readMessagingMessage(targetId, part).content ?? "";
  const head = headOf(event, `${targetId} ${readNumber(part["num_edit"]) ?? keyOf(part)}`);
  return { ...head, kind: "edit", from: profileOf(event), targetId, text };
}

/** A press on a button of a menu or of an earlier message. */
function readPostback(event: Event): InboundItem {
  const { fields, part } = event;
  const id = readMessageId(part["mid"]) ?? keyOf(fields);
  const title = joinContent([readText(part["title"])], "");
  const referral = readFields(part["referral"]);
  const message = makeMessage({
    providerId: id,
    contentType: "interactive",
    content: title,
    interactive: { type: "postback", id: readText(part["payload"]), title },
    referral: referral && { ...referral },
  });
  return { ...headOf(event, id), kind: "message", from: profileOf(event), message };
}

/** The customer of an earlier conversation came by an ad or a link once more. */
function readReferral(event: Event): InboundItem {
  const { place, fields, part } = event;
  if (event.isOwn) return accountItem(place, "referral_echo", fields, event.at);
  const head = headOf(event, keyOf([event.customer, event.at, part]));
  return { ...head, kind: "referral", from: profileOf(event), referral: { ...part } };
}

function readReaction(event: Event): InboundItem {
  const { place, fields, part } = event;
  const targetId = readMessageId(part["mid"]);
  if (targetId === null) return unreadable(place, fields, "no_target");
  // Only reactions of customers are kept.
  if (event.isOwn) return accountItem(place, "reaction_echo", fields, event.at);
  const emoji = part["action"] === "unreact" ? null : readEmoji(part["emoji"]);
  const head = headOf(event, keyOf([event.customer, event.at, part]));
  return { ...head, kind: "reaction", from: profileOf(event), targetId, emoji };
}

/** The messages that are named, and all messages until the watermark. */
function readStatus(event: Event, status: "delivered" | "read"): InboundItem[] {
  const { part, customer, place, fields } = event;
  const watermark = readTime(part["watermark"]);
  const named = [...readList(part["mids"]), part["mid"]].map(readMessageId);
  const ids = [...new Set(named)].filter((id) => id !== null);
  if (ids.length === 0 && watermark === null) return [unreadable(place, fields, "no_status")];
  const shared = {
    kind: "status",
    status,
    callbackData: null,
    error: null,
    recipient: customer,
  } as const;
  const items: InboundItem[] = ids.map((messageId) => ({
    ...headOf(event, `${messageId} ${status}`),
    ...shared,
    messageId,
    watermark: null,
  }));
  if (watermark === null) return items;
  const head = headOf(
    { ...event, at: event.at ?? watermark },
    `${customer} ${status} ${watermark}`,
  );
  return [...items, { ...head, ...shared, messageId: null, watermark }];
}
