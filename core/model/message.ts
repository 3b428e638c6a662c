import { z } from "zod";
import { attachmentView, reactionView } from "./attachment.ts";
import { restChannel, type RestChannel } from "./channels.ts";
import { interactiveInput } from "./interactive.ts";
import { referralView } from "./referral.ts";
import { templateParams } from "./template-params.ts";
import { idParameter, pageParameters, recordId, timestamp, toWellFormed } from "./wire.ts";
import { dayMs } from "./durations.ts";

/** Types of a message. */
export const messageTypes = [
  "text",
  "image",
  "audio",
  "video",
  "document",
  "sticker",
  "location",
  "contact",
  "interactive",
  "template",
  "unsupported",
] as const;
export type MessageType = (typeof messageTypes)[number];

/** Senders of a message. `ai` is the AI agent, `api` a program with an API key. */
export const senderTypes = ["contact", "user", "ai", "api", "system"] as const;
export type SenderType = (typeof senderTypes)[number];

/** Statuses of a message: `received` on inbound ones, the others on outbound ones. */
export const messageStatuses = [
  "received",
  "queued",
  "sending",
  "sent",
  "delivered",
  "read",
  "failed",
  "cancelled",
] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/** Statuses that a channel reports of a message it has accepted. */
export const reportedStatuses = ["sent", "delivered", "read", "failed"] as const;
export type ReportedStatus = (typeof reportedStatuses)[number];

const order: readonly MessageStatus[] = ["queued", "sending", "sent", "delivered", "read"];

/**
 * A status changes forward only, so that reports in the wrong order change nothing. A message can
 * fail until it is delivered, and be cancelled until the channel accepts it.
 * @returns true where a message may go from `now` to `next`.
 */
export function mayBecome(now: MessageStatus, next: MessageStatus): boolean {
  switch (now) {
    case "received":
    case "failed":
    case "cancelled":
      return false;
    case "queued":
    case "sending":
    case "sent":
    case "delivered":
    case "read":
      if (next === "failed") return now !== "delivered" && now !== "read";
      if (next === "cancelled") return now === "queued" || now === "sending";
      return order.indexOf(next) > order.indexOf(now);
  }
}

/**
 * The same for a provider's report. A customer has several devices, and one may fail after another
 * has the message. So delivered and read win over a failure. `sent` tells the outcome of a message
 * that has failed because nobody knew it.
 */
export function mayReport(
  { status, error }: { status: MessageStatus; error: MessageError | null },
  next: ReportedStatus,
): boolean {
  if (status !== "failed") return mayBecome(status, next);
  const isOpen = error?.code === "outcome_unknown";
  return next === "delivered" || next === "read" || (next === "sent" && isOpen);
}

const previewLength = 160;

/** Preview of a message in events: the first 160 characters, or its type in brackets. Rule C44. */
export function contentPreview({ type, content }: { type: MessageType; content: string | null }) {
  if (content === null || content === "") return `[${type}]`;
  // By code points, so that no emoji is cut in half.
  return Array.from(content).slice(0, previewLength).join("");
}

/**
 * WhatsApp, Instagram and Messenger take free text this long after the customer's last message.
 * Rule C25.
 */
const windowMs = dayMs;
/** Messenger and Instagram take a person's text this long, where Meta has approved the channel. */
const humanWindowMs = 7 * dayMs;

/** Facts that decide if free text may be sent now. */
export interface WindowFacts {
  channel: RestChannel;
  /** The sandbox and web chat have no window. */
  driver: string;
  /** Meta lets people of this channel answer for 7 days. */
  humanAgent: boolean;
  lastCustomerMessageAt: Date | null;
}

/** Window of a conversation, as REST answers show it. */
export const messagingWindowView = z.strictObject({
  open: z.boolean(),
  expires_at: timestamp
    .nullable()
    .describe("Null where the channel has no window, or the customer has yet to write."),
  human_expires_at: timestamp
    .nullable()
    .describe("Until then a person may answer. Null where the channel has no longer time for it."),
});
export type MessagingWindow = z.output<typeof messagingWindowView>;

/** The channel's messaging window at a moment. */
export function messagingWindow(
  { channel, driver, humanAgent, lastCustomerMessageAt: last }: WindowFacts,
  now: Date,
): MessagingWindow {
  const none = { expires_at: null, human_expires_at: null };
  if (driver === "sandbox" || channel === "web") return { open: true, ...none };
  if (last === null) return { open: false, ...none };
  const expiresAt = new Date(last.getTime() + windowMs);
  const hasTag = humanAgent && (channel === "facebook" || channel === "instagram");
  const humanExpiresAt = hasTag ? new Date(last.getTime() + humanWindowMs) : null;
  return {
    open: expiresAt > now,
    expires_at: expiresAt.toISOString(),
    human_expires_at: humanExpiresAt?.toISOString() ?? null,
  };
}

/**
 * Decides if a sender's free text may go now. `tagged`: only as an answer of a person, which
 * carries a tag of the network.
 */
export function judgeWindow(
  { open, human_expires_at: humanEnd }: MessagingWindow,
  sender: SenderType,
  now: Date,
): "open" | "tagged" | "closed" {
  if (open) return "open";
  const isInTime = humanEnd !== null && new Date(humanEnd) > now;
  return sender === "user" && isInTime ? "tagged" : "closed";
}

/** Characters of a message's text. */
export const maxContentLength = 4_096;

/** The text of a message: 1 to 4,096 characters. */
export const contentInput = z
  .string()
  .min(1, { error: "Use 1 character or more.", abort: true })
  .max(maxContentLength, `Use at most ${maxContentLength} characters.`)
  .refine((text) => text.trim() !== "", "Use more than blanks.")
  .overwrite(toWellFormed);

/** A template that the channel's provider has approved. */
export const templateInput = z.strictObject({
  name: z.string().min(1).max(512).overwrite(toWellFormed),
  language: z.string().regex(/^[a-z]{2,3}(?:_[A-Z]{2})?$/u, "Use a code such as es_MX."),
  params: templateParams.default([]),
});
export type Template = z.output<typeof templateInput>;

const mediaTypes = ["image", "audio", "video", "document"] as const;
const sendableTypes = ["text", ...mediaTypes, "interactive", "template"] as const;

const mediaUrl = z
  .url({ protocol: /^https$/u, error: "Use an https URL." })
  .max(2_048, "Use at most 2048 characters.")
  .overwrite(toWellFormed);

/** A caller's own id of a message. */
export const externalId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/u, "Use 1 to 128 visible ASCII characters.");

const sendFields = {
  type: z.enum(sendableTypes).default("text"),
  content: contentInput.optional().describe("The text, or the caption of media."),
  media_url: mediaUrl.optional().describe("Where the file of media is fetched."),
  filename: z
    .string()
    .min(1, "Use 1 character or more.")
    .max(255, "Use at most 255 characters.")
    .overwrite(toWellFormed)
    .optional()
    .describe("Name of the file at `media_url`, which a customer sees of a document."),
  template: templateInput.optional(),
  interactive: interactiveInput.optional().describe("Options that the customer chooses from."),
  reply_to_message_id: recordId.optional(),
  external_id: externalId
    .optional()
    .describe("Your own id, unique in the conversation: a repeat reads the first message."),
};

/**
 * Body of POST /conversations/:id/messages of API v1. Text needs `content`, media needs
 * `media_url`, a template needs `template`, options need `interactive`. Rule C24.
 */
export const messageSendBody = z.strictObject(sendFields).superRefine(judgeFields);

/** The same of the Dashboard, where media takes a file that the person has uploaded instead. */
export const inboxSendBody = z
  .strictObject({
    ...sendFields,
    upload_id: recordId
      .optional()
      .describe("A file of POST /dashboard/api/media, in place of `media_url`. It is sent once."),
  })
  .superRefine(judgeFields);
export type MessageSendBody = z.output<typeof inboxSendBody>;

function judgeFields(body: MessageSendBody, ctx: z.RefinementCtx<MessageSendBody>): void {
  for (const [field, wanted] of Object.entries(fieldsOf(body))) {
    const sent = body[field as keyof MessageSendBody] !== undefined;
    if (wanted === "optional" || sent === (wanted === "required")) continue;
    ctx.addIssue({
      code: "custom",
      path: [field],
      message:
        wanted === "required"
          ? `A message of type ${body.type} needs this field.`
          : `A message of type ${body.type} does not take this field.`,
      params: { code: wanted === "required" ? "required" : "not_allowed" },
    });
  }
}

type Wanted = "required" | "optional" | "refused";

/** Media has one source: an address, which may come with a name, or an upload. */
function fieldsOf({
  type,
  upload_id: upload,
}: MessageSendBody): Record<
  "content" | "media_url" | "filename" | "upload_id" | "template" | "interactive",
  Wanted
> {
  const noFile = { media_url: "refused", filename: "refused", upload_id: "refused" } as const;
  switch (type) {
    case "text":
      return { content: "required", ...noFile, template: "refused", interactive: "refused" };
    case "image":
    case "audio":
    case "video":
    case "document": {
      const source =
        upload === undefined
          ? ({ media_url: "required", filename: "optional", upload_id: "refused" } as const)
          : ({ media_url: "refused", filename: "refused", upload_id: "required" } as const);
      return { content: "optional", ...source, template: "refused", interactive: "refused" };
    }
    case "template":
      // The file of the heading, in place of its address among the values.
      return {
        content: "refused",
        ...noFile,
        upload_id: "optional",
        template: "required",
        interactive: "refused",
      };
    case "interactive":
      return { content: "refused", ...noFile, template: "refused", interactive: "required" };
  }
}

/**
 * The `external_id` of the message that replaces a failed message. The id is unique in the
 * conversation, so the failed message is replaced once.
 */
export function retryIdOf(failedId: number): string {
  return `retry-of-${failedId}`;
}

/** Query of GET /conversations/:id/messages: pages go back in time from `before_id`. Rule C11. */
export const messageListQuery = z.object({
  limit: pageParameters.limit,
  before_id: idParameter.optional().describe("Messages older than this one."),
});
export type MessageListQuery = z.output<typeof messageListQuery>;

/** `meta` of a list of messages. */
export const messageListMeta = z.strictObject({
  total: z.int().min(0),
  limit: z.int(),
  next_before_id: recordId.nullable().describe("Send it as `before_id`; null at the beginning."),
});

/** Location of a message's media. */
export const mediaView = z.strictObject({ url: z.string(), mime_type: z.string().nullable() });
export type Media = z.output<typeof mediaView>;

/** Reason why a message failed. */
export const messageErrorView = z.strictObject({
  code: z.string().describe("Stable, for programs: `messaging_window_closed`, `outcome_unknown`."),
  message: z.string(),
  provider_code: z.string().nullable(),
});
export type MessageError = z.output<typeof messageErrorView>;

/** A message in every REST answer. Events have a shape of their own. */
export const messageView = z.strictObject({
  id: recordId,
  conversation_id: recordId,
  contact_id: recordId,
  direction: z.enum(["inbound", "outbound"]),
  channel: restChannel,
  type: z.enum(messageTypes),
  content: z.string().nullable(),
  has_media: z.boolean(),
  media: mediaView.nullable().describe("The first attachment; null until it is ready."),
  attachments: z.array(attachmentView).describe("Files in their order."),
  interactive: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      "Ids of the button, row, form or order that the customer chose. Of our own message: its options, and in `sent_as` how the channel shows them.",
    ),
  reactions: z.array(reactionView),
  referral: referralView
    .nullable()
    .describe("The ad, post, story or link with which the message came."),
  reply_to_message_id: recordId.nullable(),
  sender_type: z.enum(senderTypes),
  sender_user_id: recordId.nullable(),
  sent_by_bot: z.boolean(),
  status: z.enum(messageStatuses),
  error: messageErrorView.nullable(),
  external_id: z.string().nullable(),
  created_at: timestamp,
  sent_at: timestamp.nullable(),
  delivered_at: timestamp.nullable(),
  read_at: timestamp.nullable(),
  edited_at: timestamp.nullable().describe("The sender's last edit."),
  deleted_at: timestamp.nullable().describe("The sender took the message back: it has no content."),
});
export type MessageView = z.output<typeof messageView>;
