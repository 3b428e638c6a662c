import type { AttachmentKind } from "../../model/attachment.ts";
import type { MessageType, ReportedStatus } from "../../model/message.ts";

/** Networks of Meta whose webhooks are read. */
export type MetaNetwork = "whatsapp" | "messenger" | "instagram";

/** The ids and names under which a network knows a customer; null where the webhook says nothing. */
export interface CustomerProfile {
  /** A phone number with `+` and digits. */
  phone: string | null;
  /** WhatsApp's id of a phone: its digits, in some countries of an older form. */
  waId: string | null;
  /** WhatsApp's id of a person within a portfolio, who may hide the phone. */
  userId: string | null;
  parentUserId: string | null;
  /** Id of a person for one Page or one Instagram account. */
  pageScopedId: string | null;
  name: string | null;
  username: string | null;
}

/** A file of a message. WhatsApp gives an id to fetch it by, the other networks a link. */
export interface InboundAttachment {
  kind: AttachmentKind;
  providerMediaId: string | null;
  url: string | null;
  mime: string | null;
  /** Of the file's bytes, as the network writes it (base64); null where it names none. */
  sha256: string | null;
  filename: string | null;
  /** The customer spoke it into the phone. */
  voice: boolean;
  /** The network's code of the error for which it has no file to fetch; null if there is a file. */
  errorCode: string | null;
}

/** Values of JSON that a message carries for programs: ids of a choice, fields of a form. */
export type JsonFields = Record<string, unknown>;

/** A message in our words. */
export interface InboundMessage {
  providerId: string;
  contentType: MessageType;
  /** Text, caption or title; null where there is none. Cut at the limit of a message's text. */
  content: string | null;
  attachments: InboundAttachment[];
  interactive: JsonFields | null;
  replyToProviderId: string | null;
  /** The ad, the post or the story by which the customer came. */
  referral: JsonFields | null;
  /** The piece as it arrived, of a message that is `unsupported`; else null. */
  raw: unknown;
  context: "story_reply" | "story_mention" | null;
}

/** The error of a network for a message that it could not deliver. */
export interface ProviderError {
  code: number;
  subcode: number | null;
  title: string;
}

interface ItemHead {
  network: MetaNetwork;
  /** The phone number id, the Page's id or the Instagram account's id. */
  externalId: string;
  /** Id of the customer, whose items are applied in order; null where the item has none. */
  customer: string | null;
  /** Unique among the items of its kind of the channel account, and the same in each repeat. */
  providerKey: string;
  /** The network's time, ISO 8601 in UTC; null where it says none. */
  at: string | null;
  /** Another app of the company answers; we are told alone. */
  standby: boolean;
}

type ItemBody =
  | { kind: "message"; from: CustomerProfile; message: InboundMessage }
  /** A message of the company that was written elsewhere: in the phone's app or by another program. */
  | {
      kind: "echo";
      to: CustomerProfile;
      message: InboundMessage;
      /** The id of our message, as we have sent it along; null where we have not sent it. */
      callbackData: string | null;
      /** The app that sent it; null where the network names none. */
      appId: string | null;
      /** True for another program; false for a person. */
      byAutomation: boolean;
    }
  | {
      kind: "status";
      /** Null where a watermark speaks of all older messages. */
      messageId: string | null;
      /** The id of our message, as we have sent it along. */
      callbackData: string | null;
      status: ReportedStatus;
      /** All messages until this time have the status; ISO 8601 in UTC. */
      watermark: string | null;
      error: ProviderError | null;
      recipient: string | null;
    }
  /** `emoji` is null where the customer takes the reaction back. */
  | { kind: "reaction"; from: CustomerProfile; targetId: string; emoji: string | null }
  | { kind: "edit"; from: CustomerProfile; targetId: string; text: string }
  | { kind: "revoke"; from: CustomerProfile; targetId: string }
  | {
      kind: "number_change";
      /** The customer by the ids of before. */
      from: CustomerProfile;
      newWaId: string | null;
      newUserId: string | null;
      previousUserId: string | null;
    }
  /**
   * `newOwner` is the app that has the conversation now. Where the network names none, `toUs` is
   * true for a pass, of which the new owner alone is told.
   */
  | { kind: "handover"; newOwner: string | null; toUs: boolean }
  /** The customer came by an ad or a link, and has written nothing yet. */
  | { kind: "referral"; from: CustomerProfile; referral: JsonFields }
  /** A field of the app's own callback: templates, the state of the account. */
  | { kind: "account"; field: string; value: unknown }
  /** Cannot be applied, and is kept as it arrived. */
  | { kind: "group" | "unreadable"; reason: string; raw: unknown };

/** One event of a webhook: plain JSON, stored until it is applied. */
export type InboundItem = ItemHead & ItemBody;
