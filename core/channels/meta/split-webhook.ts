import type { InboundItem, MetaNetwork } from "./inbound-item.ts";
import { splitMessagingEntry } from "./messaging.ts";
import { readPieces, unreadable, type Place } from "./pieces.ts";
import { readFields, readList, type Fields } from "./read-json.ts";
import { storableJson } from "./storable-json.ts";
import { splitWhatsAppEntry } from "./whatsapp.ts";

const networks: ReadonlyMap<string, MetaNetwork> = new Map([
  ["whatsapp_business_account", "whatsapp"],
  ["page", "messenger"],
  ["instagram", "instagram"],
]);

/**
 * Cuts a webhook of Meta into its items, in the order of the webhook. It never throws. A piece that
 * cannot be read is an item of kind `unreadable`, and its neighbours are read as usual.
 * @param body the parsed JSON.
 */
export function splitWebhook(body: unknown): InboundItem[] {
  const storable = storableJson(body);
  const webhook = readFields(storable);
  const object = webhook?.["object"];
  const network = typeof object === "string" ? networks.get(object) : undefined;
  const place: Place = { network: network ?? "whatsapp", externalId: "", standby: false };
  if (network === undefined) return [unreadable(place, storable, "unknown_object")];
  const entries = readList(webhook?.["entry"]);
  if (entries.length === 0) return [unreadable(place, storable, "no_entry")];
  return readPieces(place, entries, (piece) => {
    const entry = readFields(piece);
    const items = entry === null ? [] : splitEntry(network, entry);
    return items.length > 0 ? items : unreadable(place, piece, "empty_entry");
  });
}

function splitEntry(network: MetaNetwork, entry: Fields): InboundItem[] {
  return network === "whatsapp" ? splitWhatsAppEntry(entry) : splitMessagingEntry(network, entry);
}
