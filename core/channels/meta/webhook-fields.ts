import { isCoexisting, type ChannelFacts } from "../../model/channel-setup.ts";
import type { MetaDriver } from "../../model/channels.ts";
import { readFields, readId, readList, readObjects, readText, type Fields } from "./read-json.ts";

/** Fields of webhooks that a number needs. `POST /{waba}/subscribed_apps` covers them. */
const numberFields = ["messages", "messaging_handovers", "standby"];

/** Brings what people write in the WhatsApp Business app, where the number is in both. */
const echoField = "smb_message_echoes";

/** Fields that a subscribed Page sends, for Messenger and for Instagram by the Page. */
const pageFields = [
  "messages",
  "messaging_postbacks",
  "message_echoes",
  "message_deliveries",
  "message_reads",
  "message_reactions",
  "message_edits",
  "messaging_referrals",
  "messaging_handovers",
  "standby",
];

/** Instagram Login knows fewer fields, with names of its own. */
const loginFields = [
  "messages",
  "messaging_postbacks",
  "messaging_seen",
  "message_reactions",
  "message_edit",
  "messaging_referral",
  "standby",
];

/** Fields of a WhatsApp Business Account. Meta sends them to the app's own callback alone. */
export const appFields = [
  "message_template_status_update",
  "message_template_quality_update",
  "phone_number_quality_update",
  "account_update",
];

/** Fields that a subscription names. */
export const subscribedFields: Readonly<Record<MetaDriver, readonly string[]>> = {
  whatsapp_cloud: numberFields,
  messenger: pageFields,
  instagram_page: pageFields,
  instagram_login: loginFields,
};

/** Fields of webhooks that a channel needs, as far as its last check knows it. */
export function neededFields(driver: MetaDriver, facts: ChannelFacts | null): readonly string[] {
  const fields = subscribedFields[driver];
  return isCoexisting(facts) ? [...fields, echoField] : fields;
}

/** A field that a webhook brought for a number, a Page or a business account. */
export interface ArrivedField {
  /** Meta's id, without a network: no two kinds of objects share one. */
  externalId: string;
  field: string;
}

/** Member of an event of Messenger or Instagram, and the field that it belongs to. */
const fieldOfMember: readonly (readonly [member: string, page: string, login: string])[] = [
  ["message", "messages", "messages"],
  ["postback", "messaging_postbacks", "messaging_postbacks"],
  ["delivery", "message_deliveries", "message_deliveries"],
  ["read", "message_reads", "messaging_seen"],
  ["reaction", "message_reactions", "message_reactions"],
  ["message_edit", "message_edits", "message_edit"],
  ["referral", "messaging_referrals", "messaging_referral"],
  ["pass_thread_control", "messaging_handovers", "messaging_handovers"],
  ["take_thread_control", "messaging_handovers", "messaging_handovers"],
  ["request_thread_control", "messaging_handovers", "messaging_handovers"],
  ["app_roles", "messaging_handovers", "messaging_handovers"],
];

const known = new Set([...numberFields, echoField, ...pageFields, ...loginFields, ...appFields]);

/**
 * Fields that a webhook brought, each once. Unknown ones are left out, so that their number has a
 * bound. Never throws, whatever the JSON is.
 */
export function listArrivedFields(webhook: unknown): ArrivedField[] {
  const all = readObjects(readFields(webhook)?.["entry"]).flatMap((entry) => [
    ...readChanges(entry),
    ...readEvents(entry),
  ]);
  const byKey = new Map(
    all
      .filter(({ field }) => known.has(field))
      .map((one) => [`${one.externalId} ${one.field}`, one] as const),
  );
  return [...byKey.values()];
}

/** WhatsApp. A change without a number belongs to the business account. */
function readChanges(entry: Fields): ArrivedField[] {
  return readObjects(entry["changes"]).flatMap((change) => {
    const metadata = readFields(readFields(change["value"])?.["metadata"]);
    const externalId = readId(metadata?.["phone_number_id"] ?? entry["id"], 128);
    const field = readText(change["field"]);
    return externalId === null || field === null ? [] : [{ externalId, field }];
  });
}

/** Messenger and Instagram. An echo is a field of its own at a Page. */
function readEvents(entry: Fields): ArrivedField[] {
  const externalId = readId(entry["id"], 128);
  if (externalId === null) return [];
  const standby = readList(entry["standby"]).length > 0 ? ["standby"] : [];
  const fields = readObjects(entry["messaging"]).flatMap((event) => {
    if (readFields(event["message"])?.["is_echo"] === true) return ["message_echoes"];
    return fieldOfMember
      .filter(([member]) => event[member] !== undefined)
      .flatMap(([, page, login]) => [page, login]);
  });
  return [...standby, ...fields].map((field) => ({ externalId, field }));
}
