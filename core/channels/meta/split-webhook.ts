import type { InboundItem } from "./inbound-item.ts";
import { splitMessagingEntry } from "./messaging.ts";
import { unreadable, type Place } from "./pieces.ts";
import { readFields, readObjects } from "./read-json.ts";
import { splitWhatsAppEntry } from "./whatsapp.ts";

/**
 * Cuts a webhook of Meta into its items, in the order of the webhook. It never throws. A piece that
 * cannot be read is an item of kind `unreadable`, and its neighbours are read as usual.
 * @param body the parsed JSON.
 */
export function splitWebhook(body: unknown): InboundItem[] {
  const webhook = readFields(body);
  const object = webhook?.["object"];
  const entries = readObjects(webhook?.["entry"]);
  if (object === "whatsapp_business_account") return entries.flatMap(splitWhatsAppEntry);
  if (object === "page" || object === "instagram") {
    const network = object === "page" ? "messenger" : "instagram";
    return entries.flatMap((entry) => splitMessagingEntry(network, entry));
  }
  const place: Place = { network: "whatsapp", externalId: "", standby: false };
  return [unreadable(place, body, "unknown_object")];
}
