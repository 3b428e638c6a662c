import type { CustomerProfile, InboundItem, MetaNetwork } from "./inbound-item.ts";
import { makeMessage, makeProfile } from "./make-message.ts";
import { readMessagingMessage } from "./messaging-message.ts";
import { accountItem, keyOf, readPieces, unreadable, type Place } from "./pieces.ts";
import { readFields, readList, readNumber, readText, readTime, type Fields } from "./read-json.ts";
import { readHandover } from "./whatsapp.ts";

/** The Page's own inbox at Meta, where people write; any other app that sends is a program. */
const pageInboxApp = "263902037430900";

/** Items of one entry: a Page or an Instagram account with what happened in its conversations. */
export function splitMessagingEntry(network: MetaNetwork, entry: Fields): InboundItem[] {
  const externalId = readText(entry["id"]) ?? "";
  const place: Place = { network, externalId, standby: false };
  const standby: Place = { ...place, standby: true };
  return [
    ...readPieces(place, readList(entry["messaging"]), (piece) => readEvent(place, piece)),
    ...readPieces(standby, readList(entry["standby"]), (piece) => readEvent(standby, piece)),
    ...readPieces(place, readList(entry["changes"]), (piece) => {
      const change = readFields(piece);
      const field = readText(change?.["field"]) ?? "unknown";
      return accountItem(place, field, change?.["value"] ?? null, readTime(entry["time"]));
    }),
  ];
}

/** One event: who it is about, and the part that says what it is. */
interface Event {
  place: Place;
  fields: Fields;
  part: Fields;
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
];

function readEvent(place: Place, piece: unknown): InboundItem | InboundItem[] {
  const fields = readFields(piece);
  if (fields === null) return unreadable(place, piece, "no_event");
  const at = readTime(fields["timestamp"]);
  for (const [name, read] of readers) {
    const part = readFields(fields[name]);
    if (part === null) continue;
    const isEcho = part["is_echo"] === true;
    const person = readFields(fields[isEcho ? "recipient" : "sender"]);
    const customer = readText(person?.["id"]);
    if (customer === null) return unreadable(place, piece, "no_sender");
    return read({ place, fields, part, customer, at });
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
  const { place, fields, part } = event;
  const id = readText(part["mid"]);
  if (id === null) return unreadable(place, fields, "no_id");
  const head = headOf(event, id);
  const from = profileOf(event);
  if (part["is_deleted"] === true) return { ...head, kind: "revoke", from, targetId: id };
  const message = readMessagingMessage(id, part);
  if (part["is_echo"] !== true) return { ...head, kind: "message", from, message };
  const app = readText(part["app_id"]);
  return {
    ...head,
    kind: "echo",
    to: from,
    message,
    byAutomation: app !== null && app !== pageInboxApp,
  };
}

function readEdit(event: Event): InboundItem {
  const { place, fields, part } = event;
  const targetId = readText(part["mid"]);
  if (targetId === null) return unreadable(place, fields, "no_target");
  const text = readMessagingMessage(targetId, part).content ?? "";
  const head = headOf(event, `${targetId} ${readNumber(part["num_edit"]) ?? keyOf(part)}`);
  return { ...head, kind: "edit", from: profileOf(event), targetId, text };
}

/** A press on a button of a menu or of an earlier message. */
function readPostback(event: Event): InboundItem {
  const { fields, part } = event;
  const id = readText(part["mid"]) ?? keyOf(fields);
  const title = readText(part["title"]);
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

function readReaction(event: Event): InboundItem {
  const { place, fields, part } = event;
  const targetId = readText(part["mid"]);
  if (targetId === null) return unreadable(place, fields, "no_target");
  const emoji = part["action"] === "unreact" ? null : readText(part["emoji"]);
  const head = headOf(event, keyOf([event.customer, event.at, part]));
  return { ...head, kind: "reaction", from: profileOf(event), targetId, emoji };
}

/** Messages by their ids; without ids the status is that of all messages until the watermark. */
function readStatus(event: Event, status: "delivered" | "read"): InboundItem[] {
  const { part, customer, place, fields } = event;
  const watermark = readTime(part["watermark"]);
  const ids = [...readList(part["mids"]), part["mid"]].map(readText).filter((id) => id !== null);
  if (ids.length === 0 && watermark === null) return [unreadable(place, fields, "no_status")];
  const shared = {
    kind: "status",
    status,
    callbackData: null,
    error: null,
    recipient: customer,
  } as const;
  if (ids.length > 0) {
    return ids.map((messageId) => ({
      ...headOf(event, `${messageId} ${status}`),
      ...shared,
      messageId,
      watermark: null,
    }));
  }
  const key = `${customer} ${status} ${watermark}`;
  return [
    {
      ...headOf({ ...event, at: event.at ?? watermark }, key),
      ...shared,
      messageId: null,
      watermark,
    },
  ];
}
