import type { CustomerProfile, InboundMessage } from "../../channels/meta/inbound-item.ts";
import { parsePhone } from "../../model/contact.ts";
import { maxNameLength } from "../../model/wire.ts";
import type { IdentityAlias } from "../contacts/contact-identities.ts";
import type { CustomerMessage } from "../conversations/customer-messages.ts";

/** MySQL holds 65,535 bytes of text, and a character has four at most. */
const maxStoredLength = 16_000;

/**
 * The ids of a customer: first the one that reaches them, which on WhatsApp is the phone if it is
 * known, then the others.
 * @throws Error if the profile has no id at all.
 */
export function addressOf(profile: CustomerProfile): {
  from: string;
  name: string | null;
  aliases: IdentityAlias[];
} {
  const { waId, phone, userId, parentUserId, pageScopedId, name, username } = profile;
  const digits = waId ?? (phone === null ? null : parsePhone(phone));
  const from = pageScopedId ?? digits ?? userId ?? parentUserId;
  if (from === null) throw new Error("The customer has no id.");
  const aliases: IdentityAlias[] = [];
  if (userId !== null && userId !== from) aliases.push({ kind: "user_id", externalId: userId });
  if (parentUserId !== null && parentUserId !== from) {
    aliases.push({ kind: "parent_user_id", externalId: parentUserId });
  }
  return { from, name: (name ?? username)?.slice(0, maxNameLength) ?? null, aliases };
}

/** The content of a message as our services take it. */
export function contentOf(message: InboundMessage) {
  return {
    type: message.contentType,
    content: message.content?.slice(0, maxStoredLength) ?? null,
    media: mediaOf(message),
    providerId: message.providerId,
    replyToProviderId: message.replyToProviderId,
    interactive: message.interactive,
    referral: message.referral,
  } satisfies Partial<CustomerMessage>;
}

/** The first attachment that has an address. WhatsApp's media have an id alone. */
function mediaOf({ attachments }: InboundMessage): CustomerMessage["media"] {
  const first = attachments.find(({ url }) => url !== null);
  return first?.url ? { url: first.url, mime_type: first.mime } : null;
}
