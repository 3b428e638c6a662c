import type { CustomerProfile, InboundMessage } from "../../channels/meta/inbound-item.ts";
import { parsePhone } from "../../model/contact.ts";
import { maxNameLength } from "../../model/wire.ts";
import type { IdentityAlias } from "../contacts/contact-identities.ts";
import type { CustomerMessage } from "../conversations/customer-messages.ts";

/** MySQL holds 65,535 bytes of text, and a character has four at most. */
const maxStoredLength = 16_000;

/** Characters of the column. The networks allow fewer. */
const maxUsernameLength = 128;

/**
 * The ids of a customer: first the one that reaches them, which on WhatsApp is the phone if it is
 * known, then the others.
 * @throws Error if the profile has no id at all.
 */
export function addressOf(profile: CustomerProfile): {
  from: string;
  name: string | null;
  username: string | null;
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
  const shown = (name ?? username)?.slice(0, maxNameLength) ?? null;
  return { from, name: shown, username: username?.slice(0, maxUsernameLength) ?? null, aliases };
}

/** The content of a message as our services take it. */
export function contentOf(message: InboundMessage) {
  return {
    type: message.contentType,
    content: message.content?.slice(0, maxStoredLength) ?? null,
    media: null,
    attachments: message.attachments,
    providerId: message.providerId,
    replyToProviderId: message.replyToProviderId,
    interactive: message.interactive,
    referral: message.referral,
    raw: asObject(message.raw),
  } satisfies Partial<CustomerMessage>;
}

/** A piece that is no object has nothing to keep. */
function asObject(raw: unknown): object | null {
  return typeof raw === "object" ? raw : null;
}
