import { z } from "zod";
import { attachmentView } from "./attachment.ts";
import { interactiveKinds } from "./interactive.ts";
import { contentInput, messageStatuses, messageTypes } from "./message.ts";
import { siteContext } from "./site-context.ts";
import { identityModes, widgetKey, widgetLocales, widgetSettings } from "./widget.ts";
import { numberInQuery, recordId, timestamp, toWellFormed } from "./wire.ts";

/**
 * Wire shapes between the widget in a visitor's browser and `/widget/api`. The widget imports their
 * types alone, so that it stays small.
 */

const line = (max: number) => z.string().trim().max(max).overwrite(toWellFormed);
/** A signed identity: a JWT that the company's own server makes. */
const identity = z.string().min(1).max(4_096);

/** A person whom the company's server has named by a signed identity. */
export interface VerifiedIdentity {
  sub: string;
  /** Its time has run out. It still resumes a session of its person, and begins none. */
  hasEnded: boolean;
  name?: string;
  email?: string;
  phone?: string;
}

/** The page of the company's site that the visitor is on. */
export const visitedPage = z.strictObject({
  url: z.url({ protocol: /^https?$/u }).max(2_048),
  title: line(300).default(""),
  referrer: z.string().max(2_048).default(""),
});
export type VisitedPage = z.output<typeof visitedPage>;

/** Body of POST /sessions: begins a session, or resumes the visitor of an earlier one. */
export const sessionBody = z.strictObject({
  key: z.string().regex(widgetKey),
  resume: z
    .string()
    .max(128)
    .optional()
    .describe("Where the browser refuses our cookie: the secret that the frame has kept."),
  identity: identity.optional(),
  locale: z.enum(widgetLocales).optional(),
  page: visitedPage.optional(),
  consent: z.boolean().optional().describe("The visitor has agreed."),
  proof: z.string().max(4_096).optional().describe("Answer to the challenge of 428."),
});
export type SessionBody = z.output<typeof sessionBody>;

/** The visitor, as far as the widget knows. */
export const visitorView = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  verified: z.boolean().describe("A signed identity has proved who it is."),
  has_email: z.boolean(),
  has_phone: z.boolean(),
});
export type VisitorView = z.output<typeof visitorView>;

/** An option of a message with options. */
const optionView = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
});

/** A message as a visitor sees it: no ids of people, no notes, no traces of the AI agent. */
export const visitMessageView = z.strictObject({
  id: recordId,
  client_id: z
    .string()
    .nullable()
    .describe("The visitor's own id; null on the company's messages."),
  direction: z.enum(["inbound", "outbound"]).describe("`inbound`: from the visitor."),
  type: z.enum(messageTypes),
  content: z.string().nullable(),
  author: z
    .strictObject({ name: z.string(), is_ai: z.boolean() })
    .nullable()
    .describe("Null on the visitor's messages."),
  attachments: z.array(attachmentView),
  options: z
    .strictObject({ kind: z.enum(interactiveKinds), choices: z.array(optionView) })
    .nullable()
    .describe("Options that the visitor can choose."),
  option_id: z.string().nullable().describe("The option that this message chose."),
  reply_to_message_id: recordId.nullable(),
  status: z.enum(messageStatuses),
  created_at: timestamp,
  edited_at: timestamp.nullable(),
  deleted_at: timestamp.nullable(),
});
export type VisitMessage = z.output<typeof visitMessageView>;

/** State of the visitor's conversation. */
export const visitConversationView = z.strictObject({
  id: recordId,
  status: z.enum(["active", "handed_off", "waiting", "resolved"]),
  seen_message_id: recordId
    .nullable()
    .describe("The visitor's last message that a person has seen."),
});
export type VisitConversation = z.output<typeof visitConversationView>;

/** Answer of POST /sessions. */
export const sessionView = z.strictObject({
  token: z.string().describe("Bearer token of every other call, for 24 hours."),
  expires_at: timestamp,
  resume: z.string().nullable().describe("To keep in the frame; null where a cookie has it."),
  visitor: visitorView,
  conversation: visitConversationView.nullable().describe("Null before the first message."),
  unread: z.int().min(0),
  online: z.boolean().describe("People answer now, by the opening hours."),
  back_at: timestamp.nullable().describe("When they are back; null while online or unknown."),
});
export type SessionView = z.output<typeof sessionView>;

/** Query of GET /messages: older ones than `before_id`, newest last. */
export const visitMessagesQuery = z.object({
  before_id: numberInQuery(recordId).optional(),
  limit: numberInQuery(z.int().min(1).max(100)).default(30),
});

/** Answer of GET /messages. */
export const visitMessagesView = z.strictObject({
  messages: z.array(visitMessageView),
  next_before_id: recordId.nullable().describe("Null where there are no older ones."),
});

/** Body of POST /messages. A repeated `client_id` answers the message that is stored. */
export const visitMessageBody = z
  .strictObject({
    client_id: z.string().regex(/^[\x21-\x7e]{1,64}$/u),
    content: contentInput.optional(),
    upload_id: recordId.optional(),
    option_id: z.string().min(1).max(200).optional(),
    reply_to_message_id: recordId.optional(),
    proof: z.string().max(4_096).optional(),
  })
  .superRefine(({ content, upload_id, option_id }, ctx) => {
    if (content !== undefined || upload_id !== undefined || option_id !== undefined) return;
    const message = "Give a text, a file or an option.";
    ctx.addIssue({ code: "custom", path: ["content"], message, params: { code: "required" } });
  });
export type VisitMessageBody = z.output<typeof visitMessageBody>;

/** Answer of POST /uploads: the raw bytes of a file, at most 10 MiB. */
export const visitUploadView = z.strictObject({
  upload_id: recordId,
  kind: z.string(),
  mime_type: z.string(),
  size: z.int().min(1),
  filename: z.string().nullable(),
});

export const visitReadBody = z.strictObject({ up_to_message_id: recordId });
export const visitTypingBody = z.strictObject({ typing: z.boolean() });
export const visitIdentifyBody = z.strictObject({ identity });
/** Body of POST /page: a single-page site has moved on. */
export const visitPageBody = z.strictObject({ page: visitedPage });

/** Body of POST /context: facts that the site tells, in place of those before. */
export const visitContextBody = z.strictObject({ context: siteContext });

/** Field of a form that people do not see. Programs fill every field. */
const trap = {
  website: z.string().max(300).optional().describe("Not shown. Filled: the call brings a proof."),
  proof: z.string().max(4_096).optional(),
};

/** Body of POST /contact: what the visitor says of themselves. Nobody has checked it. */
export const visitContactBody = z.strictObject({
  name: line(200).optional(),
  email: line(254).optional(),
  phone: line(40).optional(),
  ...trap,
});

/** A service and its free times, of GET /slots. */
export const visitSlotsView = z.strictObject({
  time_zone: z.string(),
  services: z.array(z.strictObject({ id: recordId, name: z.string(), duration_minutes: z.int() })),
  slots: z
    .array(z.strictObject({ slot: z.string(), start_time: timestamp, resource: z.string() }))
    .describe("Of the service that was asked for; empty without one."),
});

export type VisitSlots = z.output<typeof visitSlotsView>;

/** Query of GET /slots. */
export const visitSlotsQuery = z.object({
  service_id: numberInQuery(recordId).optional(),
  from: z.iso.date().optional().describe("First day, in the zone of the service."),
});

/** Body of POST /bookings. `slot` as GET /slots gives it. */
export const visitBookingBody = z.strictObject({
  client_id: z.string().regex(/^[\x21-\x7e]{1,64}$/u),
  service_id: recordId,
  slot: z.string().max(64),
  name: line(200),
  email: line(254).optional(),
  phone: line(40).optional(),
  ...trap,
});

export type VisitBookingBody = z.output<typeof visitBookingBody>;

/** Answer of POST /bookings. */
export const visitBookingView = z.strictObject({
  start_time: timestamp,
  end_time: timestamp,
  service: z.string(),
  url: z.string().describe("Page on which the visitor can move or cancel it."),
});

/** Settings that the loader and the panel get with their files. */
export const widgetConfig = z.strictObject({
  key: z.string(),
  origin: z.string().describe("Origin of the panel's frame."),
  company: z.string(),
  identity_mode: z.enum(identityModes),
  settings: widgetSettings,
});
export type WidgetConfig = z.output<typeof widgetConfig>;

/** Events of GET /stream. `ready` and `reset`: the widget reads everything again. */
export interface VisitEvents {
  ready: { conversation: VisitConversation | null; unread: number };
  message: VisitMessage;
  message_updated: VisitMessage;
  /** A person or the AI agent types. */
  typing: { is_typing: boolean };
  /** The AI agent was switched on or off. */
  agent: { is_on: boolean };
  conversation: VisitConversation;
  reset: Record<string, never>;
  beat: Record<string, never>;
}
