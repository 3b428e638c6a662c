import { z } from "zod";
import { eventChannel } from "../channels.ts";
import { conversationStatuses } from "../conversation.ts";
import { deliveryStates } from "../workflow/delivery.ts";
import { eventTypes } from "../event-types.ts";
import { notificationKinds } from "../notification.ts";
import { roles, scopes } from "../principal.ts";
import { replayableStates, replayStates } from "../replay.ts";
import { subscriptionStates } from "../subscription.ts";
import { recordId, timestamp } from "../wire.ts";

const moment = timestamp.nullable();
const count = z.int().min(0);

/** The user who is logged in, the account of the login, and all accounts of the user. */
export const sessionView = z.strictObject({
  user: z.strictObject({
    id: recordId,
    name: z.string(),
    email: z.string(),
    email_confirmed: z.boolean(),
    locale: z.string().nullable(),
  }),
  role: z.enum(roles),
  account: z.strictObject({
    id: recordId,
    name: z.string(),
    time_zone: z.string(),
    locale: z.string(),
    answer_target_minutes: count.describe("Minutes within which a customer gets an answer."),
  }),
  accounts: z.array(z.strictObject({ id: recordId, name: z.string(), role: z.enum(roles) })),
  stream_from: z
    .string()
    .describe("`after` of a live stream that tells of everything which later reads may not hold"),
});
export type SessionView = z.output<typeof sessionView>;

/** A subscription, without its secret. */
export const subscriptionView = z.strictObject({
  id: recordId,
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  channels: z.array(eventChannel).nullable(),
  auto_disable: z.boolean(),
  max_concurrency: z.int().nullable(),
  state: z.enum(subscriptionStates),
  disabled_reason: z.string().nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** A subscription with its secret, which is shown this once. Rule C60. */
export const subscriptionWithSecret = subscriptionView.extend({ secret: z.string() });

/** Answers of a subscription's receiver in the last 24 hours. */
export const subscriptionStatsView = z.strictObject({
  subscription_id: recordId,
  hours: z
    .array(z.strictObject({ starts_at: timestamp, attempts: count, failed: count }))
    .describe("24 of them, oldest first; the last one is the hour that runs."),
  attempts: count.describe("Of the last 24 hours, without those under way."),
  failed: count,
  p95_ms: count.nullable().describe("Of the answers; null where nothing was answered."),
  last_error: z
    .strictObject({
      delivery_id: recordId,
      at: timestamp,
      status_code: z.int().nullable(),
      error_class: z.string().nullable(),
    })
    .nullable(),
  sampled: z.boolean().describe("Only the newest 100 attempts of an hour are looked at."),
  failing: z.boolean().describe("The newest five finished attempts all failed."),
});
export type SubscriptionStatsView = z.output<typeof subscriptionStatsView>;

/**
 * The POST that a subscription would get: the sample of one event type, signed with its secrets.
 */
export const signedSampleView = z.strictObject({
  event_type: z.enum(eventTypes),
  headers: z.record(z.string(), z.string()),
  body: z.string().describe("The raw bytes, as text."),
});
export type SignedSampleView = z.output<typeof signedSampleView>;

/** The POST of a delivery as an attempt would make it now. */
export const signedRequestView = z.strictObject({
  url: z.string(),
  headers: z.record(z.string(), z.string()).describe("With signatures that were made just now."),
  body: z.string().describe("The raw bytes, as text."),
});
export type SignedRequestView = z.output<typeof signedRequestView>;

/** A delivery in the log. */
export const deliveryView = z.strictObject({
  id: recordId,
  event_id: z.uuid(),
  event_type: z.enum(eventTypes),
  subscription_id: recordId,
  state: z.enum(deliveryStates),
  run: z.int().min(1),
  first_number: z.int().min(1).describe("Of the attempts of this run; more than 1 after a hold."),
  attempts_made: z.int().min(0).describe("In this run."),
  next_attempt_at: moment,
  discard_at: moment,
  reason: z.string().nullable(),
  via: z.enum(["workflow", "relay"]),
  workflow_id: z.string().nullable(),
  workflow_url: z.string().nullable(),
  created_at: timestamp,
  contact: z
    .strictObject({ id: recordId, name: z.string() })
    .nullable()
    .describe("Whom the event is about."),
  conversation_id: recordId.nullable(),
  last_answer: z
    .strictObject({
      status_code: z.int().nullable(),
      error_class: z.string().nullable(),
      duration_ms: count,
    })
    .nullable()
    .describe("What the newest finished attempt of this run came to."),
});
export type DeliveryView = z.output<typeof deliveryView>;

const headers = z.record(z.string(), z.string()).nullable();

/** One POST. */
export const attemptView = z.strictObject({
  run: z.int(),
  seq: z.int(),
  number: z.int().min(1),
  manual: z.boolean(),
  posts: z.int(),
  started_at: timestamp,
  duration_ms: z.int().nullable(),
  status_code: z.int().nullable(),
  error_class: z.string().nullable(),
  request_url: z.string(),
  request_headers: headers,
  response_headers: headers,
  response_excerpt: z.string().nullable(),
  ip: z.string().nullable(),
});
export type AttemptView = z.output<typeof attemptView>;

/**
 * A delivery with its newest attempts. The event's envelope and its bytes are null after an
 * erasure.
 */
export const deliveryWithAttempts = deliveryView.extend({
  event: z.unknown(),
  body: z.string().nullable().describe("The event's raw bytes, as text."),
  waits_ms: z
    .array(z.int().min(1))
    .describe("The wait after each failed attempt, as this installation is set up."),
  attempts: z.array(attemptView).describe("The newest 100, the oldest of them first."),
  attempts_total: count.describe("Of all runs; `/attempts` lists them all."),
});
export type DeliveryWithAttempts = z.output<typeof deliveryWithAttempts>;

/** A replay, with its progress. */
export const replayView = z.strictObject({
  id: recordId,
  subscription_id: recordId,
  state: z.enum(replayStates),
  states: z.array(z.enum(replayableStates)),
  since: moment,
  total: z.int().min(0).describe("Covered when it was drafted."),
  total_at_least: z.boolean().describe("There are too many to count; `total` is what was counted."),
  queued: z.int().min(0),
  passed_over: z.int().min(0).describe("Those whose event has been erased."),
  created_at: timestamp,
  updated_at: timestamp,
  finished_at: moment,
});

/** A notification as the bell shows it. */
export const notificationView = z.strictObject({
  id: recordId,
  kind: z.enum(notificationKinds),
  delivery_id: recordId.nullable(),
  subscription_id: recordId.nullable(),
  conversation_id: recordId.nullable(),
  appointment_id: recordId.nullable(),
  title: z.string().describe("In English, as `body` is; other languages are made from `params`."),
  body: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()]).nullable()),
  contact_id: recordId.nullable().describe("The customer of the conversation; null without one."),
  contact_name: z
    .string()
    .nullable()
    .describe("The customer of the conversation or of the appointment; null without one."),
  group_key: z.string(),
  read_at: moment,
  created_at: timestamp,
});
export type NotificationView = z.output<typeof notificationView>;

/**
 * Notifications of one cause. The three states are the present ones of the subjects of the newest
 * notification.
 */
export const notificationGroupView = z.strictObject({
  group_key: z.string(),
  count: z.int().min(1),
  unread: z.int().min(0),
  newest: notificationView,
  delivery_state: z.enum(deliveryStates).nullable(),
  subscription_state: z.enum(subscriptionStates).nullable(),
  conversation_status: z.enum(conversationStatuses).nullable(),
});
export type NotificationGroupView = z.output<typeof notificationGroupView>;

/** An API key. Only the beginning and the end of the key are shown. */
export const apiKeyView = z.strictObject({
  id: recordId,
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  prefix: z.string(),
  last_four: z.string(),
  expires_at: moment,
  revoked_at: moment,
  last_used_at: moment,
  replaces_id: recordId.nullable(),
  created_at: timestamp,
});

/** An API key with the whole key, which is shown this once. */
export const apiKeyWithKey = apiKeyView.extend({ key: z.string() });

/** Progress of an account with its first steps. */
export const firstRunView = z.strictObject({
  zone_set: z.boolean().describe("The account has a time zone, or was changed since it was made."),
  team_invited: z.boolean().describe("It has a second member or an invitation."),
  hours_set: z.boolean().describe("A calendar has opening hours."),
  service_added: z.boolean(),
  link_added: z.boolean().describe("It has a booking link."),
  key_created: z.boolean().describe("It had an API key once."),
  customer_wrote: z.boolean(),
  replied: z.boolean(),
  webhook_added: z.boolean(),
  test_sent: z.boolean(),
  conversation_id: recordId.nullable().describe("The newest that a customer has written in."),
  subscription_id: recordId.nullable().describe("An active one, to send a test to."),
});
export type FirstRunView = z.output<typeof firstRunView>;
