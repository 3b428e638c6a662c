import { toWellFormed } from "../../model/wire.ts";
import type { CustomerProfile, InboundAttachment, InboundMessage } from "./inbound-item.ts";

/** Characters of a content; four bytes each still fit the column of a message. */
const maxContentLength = 16_000;

/** Joins the parts of a content that exist, each once, and cuts what is too long. */
export function joinContent(parts: readonly (string | null)[], separator: string): string | null {
  const joined = [...new Set(parts)].filter((part) => part !== null).join(separator);
  if (joined === "") return null;
  return joined.length <= maxContentLength
    ? joined
    : toWellFormed(joined.slice(0, maxContentLength));
}

/** A message that has nothing but what is given. */
export function makeMessage(
  given: Pick<InboundMessage, "providerId" | "contentType"> & Partial<InboundMessage>,
): InboundMessage {
  return {
    content: null,
    attachments: [],
    interactive: null,
    replyToProviderId: null,
    referral: null,
    raw: null,
    context: null,
    ...given,
  };
}

/** A message of which only the piece as it arrived is kept. */
export function makeUnsupported(providerId: string, raw: unknown): InboundMessage {
  return makeMessage({ providerId, contentType: "unsupported", raw });
}

/** A file of which nothing is known but what is given. */
export function makeAttachment(
  given: Pick<InboundAttachment, "kind"> & Partial<InboundAttachment>,
): InboundAttachment {
  return {
    providerMediaId: null,
    url: null,
    mime: null,
    sha256: null,
    filename: null,
    voice: false,
    errorCode: null,
    ...given,
  };
}

/** A customer of whom nothing is known but what is given. */
export function makeProfile(given: Partial<CustomerProfile>): CustomerProfile {
  return {
    phone: null,
    waId: null,
    userId: null,
    parentUserId: null,
    pageScopedId: null,
    name: null,
    username: null,
    ...given,
  };
}
