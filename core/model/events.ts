import { z } from "zod";
import { eventChannel } from "./channels.ts";
import { changedFields } from "./contact.ts";
import { conversationSources, conversationStatuses } from "./conversation.ts";
import { eventSamples } from "./event-samples.ts";
import { messageTypes, senderTypes } from "./message.ts";
import { stageSources } from "./pipeline.ts";
import { contactSources } from "./principal.ts";
import { recordId, timestamp, toWellFormed } from "./wire.ts";

/** Every event type. docs/contract.md says when each of them fires. */
export const eventTypes = [
  "message.received",
  "message.sent",
  "conversation.created",
  "conversation.updated",
  "conversation.closed",
  "conversation.bot.enabled",
  "conversation.bot.disabled",
  "conversation.stage_changed",
  "contact.created",
  "contact.updated",
  "appointment.created",
  "appointment.rescheduled",
  "appointment.cancelled",
  "test.ping",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Patterns that a subscription may select: all events, a family, or one type. Rule C39. */
export const eventPatterns = [
  "*",
  "message.*",
  "conversation.*",
  "contact.*",
  "appointment.*",
  ...eventTypes,
] as const;
export type EventPattern = (typeof eventPatterns)[number];

const text = z.string();
const textOrNull = text.nullable();
const idOrNull = recordId.nullable();

function messageData<Direction extends "inbound" | "outbound">(direction: Direction) {
  return z.strictObject({
    message_id: recordId,
    conversation_id: recordId,
    contact_id: recordId,
    direction: z.literal(direction),
    channel: eventChannel,
    type: z.enum(messageTypes),
    content_preview: text.describe("The first 160 characters, or the kind of media in brackets."),
    has_media: z.boolean(),
    sent_by_bot: z.boolean(),
    created_at: timestamp,
    sender_type: z.enum(senderTypes),
    sender_user_id: idOrNull,
    api_key_id: idOrNull,
    external_id: textOrNull.describe("The caller's own id of the message."),
  });
}

const whoChangedIt = {
  source: z.enum(conversationSources),
  actor_user_id: idOrNull,
  api_key_id: idOrNull,
};

const conversationCreated = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  channel: eventChannel,
  status: z.enum(conversationStatuses),
  bot_enabled: z.boolean(),
  assigned_to_user_id: idOrNull,
  source: z.enum(conversationSources),
  created_at: timestamp,
});

const conversationUpdated = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  status: z.enum(conversationStatuses),
  previous_status: z.enum(conversationStatuses),
  bot_enabled: z.boolean(),
  assigned_to_user_id: idOrNull,
  ...whoChangedIt,
  updated_at: timestamp,
});

const conversationClosed = z.strictObject({
  ...conversationUpdated.omit({ updated_at: true }).shape,
  status: z.literal("resolved"),
  closed_at: timestamp,
});

function botData<Enabled extends boolean>(enabled: Enabled) {
  return z.strictObject({
    ...conversationUpdated.omit({ updated_at: true }).shape,
    bot_enabled: z.literal(enabled),
    changed_at: timestamp,
  });
}

const botDisabled = botData(false).extend({
  reason: textOrNull.describe("Why the AI agent was paused, as the inbox shows it."),
  cancelled_message_ids: z.array(recordId).describe("AI messages that were queued and not sent."),
});

const stageChanged = z.strictObject({
  conversation_id: recordId,
  contact_id: recordId,
  channel: eventChannel,
  pipeline_id: recordId,
  pipeline_name: text,
  stage_id: recordId,
  stage_name: text,
  previous_stage_id: idOrNull.describe("Null when the customer enters the pipeline."),
  previous_stage_name: textOrNull,
  source: z.enum(stageSources),
  actor_user_id: idOrNull,
});

const contactCreated = z.strictObject({
  contact_id: recordId,
  name: text,
  phone: textOrNull.describe("Digits with the country code, no plus sign."),
  email: textOrNull,
  channel: eventChannel.nullable().describe("Null when the contact has no conversation."),
  instagram_id: textOrNull,
  facebook_id: textOrNull,
  tags: z.array(text),
  created_at: timestamp,
  updated_at: timestamp,
  source: z.enum(contactSources),
  conversation_id: idOrNull.describe("Null when the contact has no conversation."),
  whatsapp_id: textOrNull,
});

const contactUpdated = contactCreated.extend({
  changed_fields: z.array(z.enum(changedFields)).describe("Sorted by name."),
  previous_values: z
    .strictObject({
      email: textOrNull,
      facebook_id: textOrNull,
      instagram_id: textOrNull,
      name: textOrNull,
      phone: textOrNull,
      tags: z.array(text),
      whatsapp_id: textOrNull,
    })
    .partial()
    .describe("What each changed field held before."),
});

function appointmentData<Status extends "confirmed" | "rescheduled" | "cancelled">(
  ...statuses: [Status, ...Status[]]
) {
  return z.strictObject({
    appointment_id: recordId,
    status: z.enum(statuses),
    title: text,
    start_time: timestamp,
    end_time: timestamp,
    duration_minutes: z.int().min(0),
    resource_id: recordId,
    resource_name: text,
    service_id: idOrNull,
    service_name: textOrNull,
    contact_id: recordId,
    conversation_id: idOrNull.describe("Null when the contact has no conversation."),
    customer_name: text,
    customer_phone: textOrNull,
    source: textOrNull.describe(
      "`agente`, `panel`, `enlace`, `google`, `calendly`, `voz` or other.",
    ),
    google_event_id: textOrNull,
    replaced_by_appointment_id: idOrNull.describe("The new appointment, on a replaced one."),
  });
}

const appointmentRescheduled = appointmentData("confirmed", "rescheduled").extend({
  previous_start_time: timestamp,
  previous_end_time: timestamp,
  previous_resource_id: recordId,
});

const testPing = z.strictObject({
  message: text,
  subscription_id: recordId,
  triggered_by_user_id: recordId,
});

const eventData = {
  "message.received": messageData("inbound"),
  "message.sent": messageData("outbound"),
  "conversation.created": conversationCreated,
  "conversation.updated": conversationUpdated,
  "conversation.closed": conversationClosed,
  "conversation.bot.enabled": botData(true),
  "conversation.bot.disabled": botDisabled,
  "conversation.stage_changed": stageChanged,
  "contact.created": contactCreated,
  "contact.updated": contactUpdated,
  "appointment.created": appointmentData("confirmed"),
  "appointment.rescheduled": appointmentRescheduled,
  "appointment.cancelled": appointmentData("cancelled"),
  "test.ping": testPing,
} satisfies Record<EventType, z.ZodObject>;

/** The `data` of an event. */
export type EventData<T extends EventType = EventType> = {
  [Type in EventType]: z.output<(typeof eventData)[Type]>;
}[T];

/** Definition of an event type. */
export interface EventDefinition<T extends EventType> {
  /** Occasion of the event, in one line for people. */
  summary: string;
  /** True where the payload has `channel`, so that channel filters apply. Rule C40. */
  channelFiltered: boolean;
  /** Strict schema of `data`; the order of its members is the order on the wire. */
  data: (typeof eventData)[T];
  sample: EventData<T>;
}

function define<T extends EventType>(type: T, summary: string): EventDefinition<T> {
  const data = eventData[type];
  return { summary, channelFiltered: "channel" in data.shape, data, sample: eventSamples[type] };
}

/**
 * The event catalogue. Types, schemas, filter rule, samples and documentation all come from here.
 */
export const eventCatalogue: { readonly [T in EventType]: EventDefinition<T> } = {
  "message.received": define("message.received", "A customer sends a message."),
  "message.sent": define("message.sent", "A person, the AI agent or the API sends a message."),
  "conversation.created": define("conversation.created", "A new conversation opens."),
  "conversation.updated": define("conversation.updated", "The status of a conversation changes."),
  "conversation.closed": define("conversation.closed", "A conversation is marked resolved."),
  "conversation.bot.enabled": define(
    "conversation.bot.enabled",
    "The AI agent is turned on in a conversation.",
  ),
  "conversation.bot.disabled": define(
    "conversation.bot.disabled",
    "The AI agent is paused in a conversation, which goes to a person.",
  ),
  "conversation.stage_changed": define(
    "conversation.stage_changed",
    "A customer moves to another stage of a pipeline.",
  ),
  "contact.created": define(
    "contact.created",
    "Someone writes for the first time, or a contact is made in the Dashboard or through the API.",
  ),
  "contact.updated": define("contact.updated", "The data of a contact changes."),
  "appointment.created": define(
    "appointment.created",
    "An appointment is scheduled, or a cancelled one is confirmed again.",
  ),
  "appointment.rescheduled": define(
    "appointment.rescheduled",
    "An appointment moves to another time or agenda.",
  ),
  "appointment.cancelled": define("appointment.cancelled", "An appointment is cancelled."),
  "test.ping": define("test.ping", "Someone presses Send test in the Dashboard."),
};

/** Body of every delivery. The shape of `data` depends on the type. Rule C36. */
export const eventEnvelope = z.strictObject({
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  occurred_at: timestamp,
  data: z.record(text, z.unknown()),
});

/** An event of one type, before it is serialised. */
export interface EventEnvelope<T extends EventType = EventType> {
  event_id: string;
  event_type: T;
  occurred_at: string;
  data: EventData<T>;
}

/** The sample of a type as an event, for the API's document and for the Dashboard. */
export function sampleEvent(type: EventType): EventEnvelope {
  return {
    event_id: "019a9d4e-7c1b-7f32-9a41-5be0c7d1f001",
    event_type: type,
    occurred_at: "2026-03-02T14:05:11.214Z",
    data: eventCatalogue[type].sample,
  };
}

/**
 * The JSON text that is stored, signed and sent. Members of the envelope stand in the order of
 * `eventEnvelope`, and members of `data` in the order of the catalogue. Lone surrogates are
 * replaced, so that the text is valid UTF-8.
 * @throws ZodError if the envelope or its data do not fit the catalogue: our bug.
 */
export function serializeEvent<T extends EventType>(event: EventEnvelope<T>): string {
  const { event_id, event_type, occurred_at } = eventEnvelope.parse(event);
  const data = eventCatalogue[event_type].data.parse(event.data);
  return JSON.stringify({ event_id, event_type, occurred_at, data }, (_key, value: unknown) =>
    typeof value === "string" ? toWellFormed(value) : value,
  );
}
