import { z } from "zod";
import { channelCheckSteps, channelReasons } from "./channel-reasons.ts";
import { channelStates, metaDrivers, channelDrivers, restChannel } from "./channels.ts";
import { itemStates } from "./channel-intake.ts";
import { maxNameLength, recordId, timestamp } from "./wire.ts";

const metaId = z.string().regex(/^\d{1,32}$/u, "Use the digits that Meta shows.");
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{8,128}$/u, "Use 8 to 128 visible ASCII characters without blanks.");
const accessToken = z
  .string()
  .regex(/^[\x21-\x7e]{8,1000}$/u, "Use 8 to 1000 visible ASCII characters.");
const count = z.int().min(0);

/** Body of POST /channel-apps: a Meta app with the secrets that sign its webhooks. */
export const channelAppBody = z.strictObject({
  app_id: metaId,
  app_secret: secret,
  instagram_app_secret: secret.optional().describe("Instagram Login signs with its own secret."),
});
export type ChannelAppBody = z.output<typeof channelAppBody>;

/** A field of Meta's webhooks with the time at which it last arrived. */
const fieldView = z.strictObject({
  field: z.string(),
  seen_at: timestamp.nullable().describe("Null: no webhook of this field has arrived."),
});

/** An app with the URL and the token to paste into Meta's settings, and its troubles. */
export const channelAppView = z.strictObject({
  id: recordId,
  app_id: z.string(),
  slug: z.string(),
  webhook_url: z.string(),
  verify_token: z.string(),
  has_instagram_secret: z.boolean(),
  fields: z.array(fieldView).describe("Fields that Meta sends to the app's own callback alone."),
  bad_signatures: count.describe("Refused webhooks since the secrets were saved."),
  bad_signature_at: timestamp.nullable(),
  unrouted: count.describe("Items of numbers and Pages that are not connected."),
  parked_webhooks: count.describe("Webhooks that nobody could read."),
  created_at: timestamp,
});

/** Body of POST /channel-apps/:id/numbers. */
export const channelNumbersBody = z.strictObject({
  parent_id: metaId.describe("WhatsApp Business Account."),
  token: accessToken,
});

/** A number of a WhatsApp Business Account, as Meta describes it. */
export const channelNumberView = z.strictObject({
  id: z.string().describe("Meta's id, which is the `external_id` of a channel account."),
  display_phone_number: z.string().nullable(),
  verified_name: z.string().nullable(),
  status: z.string().nullable(),
  quality_rating: z.string().nullable(),
  platform_type: z.string().nullable(),
  is_registered: z.boolean().describe("False: register the number with a PIN first."),
  channel_account_id: recordId.nullable().describe("Where the number is connected already."),
});

/** Body of POST /channel-accounts: a number, Page or Instagram account of an app. */
export const channelAccountBody = z
  .strictObject({
    driver: z.enum(metaDrivers),
    channel_app_id: recordId,
    channel_account_id: recordId
      .optional()
      .describe("Gives this one a new token. Another number or Page is refused."),
    external_id: metaId
      .optional()
      .describe("Phone number id, Page id, or Instagram user id. Found by the token if absent."),
    parent_id: metaId.optional().describe("WhatsApp Business Account, or the Page."),
    token: accessToken,
    name: z.string().trim().min(1).max(maxNameLength).optional(),
    bot_default: z.boolean().optional().describe("The AI agent answers new conversations here."),
  })
  .superRefine(({ driver, channel_account_id, external_id, parent_id }, ctx) => {
    // A known channel has its ids already.
    if (channel_account_id !== undefined) return;
    const demand = (path: string) => {
      ctx.addIssue({ code: "custom", path: [path], message: "Give this id.", input: undefined });
    };
    if (driver === "whatsapp_cloud" && external_id === undefined) demand("external_id");
    const hasParent = driver === "whatsapp_cloud" || driver === "instagram_page";
    if (hasParent && parent_id === undefined) demand("parent_id");
  });
export type ChannelAccountBody = z.output<typeof channelAccountBody>;

/** Body of PATCH /channel-accounts/:id. Absent fields stay as they are. */
export const channelAccountChangeBody = z.strictObject({
  name: z.string().trim().min(1).max(maxNameLength).optional(),
  bot_default: z.boolean().optional(),
  human_agent: z.boolean().optional().describe("Meta has approved the tag HUMAN_AGENT."),
  marks_read: z
    .boolean()
    .optional()
    .describe("A message that a person opens shows as read to the customer."),
});
export type ChannelAccountChangeBody = z.output<typeof channelAccountChangeBody>;

/** Body of POST /channel-accounts/:id/register: the PIN of the two-step verification. */
export const channelRegisterBody = z.strictObject({
  pin: z.string().regex(/^\d{6}$/u, "Use six digits."),
});

/** Body of POST /channel-accounts/:id/test-message: a customer who has written to the channel. */
export const channelTestBody = z.strictObject({
  to: z.string().trim().min(1).max(128).describe("A phone, or the customer's id on the channel."),
});

/** Answer to a test message. The message has its status as any other one. */
export const channelTestView = z.strictObject({ conversation_id: recordId, message_id: recordId });

/** `details` of the errors `channel_check_failed` and `channel_mismatch`. */
export const channelCheckDetails = z.strictObject({
  step: z.enum(channelCheckSteps),
  reason: z.enum(channelReasons),
  missing_scopes: z.array(z.string()),
  provider_code: z.string().nullable(),
  provider_message: z.string().nullable().describe("Meta's own words."),
  next_step: z.string(),
});
export type ChannelCheckDetails = z.output<typeof channelCheckDetails>;

/** A trouble that Meta reports in `health_status`, in Meta's words. */
const problemView = z.strictObject({
  code: z.string(),
  text: z.string(),
  solution: z.string().nullable(),
});

/** Facts of Meta about a number, Page or Instagram account. Null where Meta does not say. */
export const channelFacts = z.strictObject({
  display_name: z.string().nullable().describe("Phone, name of the Page, or user name."),
  verified_name: z.string().nullable(),
  status: z.string().nullable(),
  platform_type: z.string().nullable(),
  is_on_biz_app: z.boolean().nullable().describe("People use the number in their app as well."),
  quality_rating: z.string().nullable(),
  messaging_limit: z.string().nullable().describe("Customers a day to whom we may write first."),
  throughput: z.string().nullable(),
  can_send: z.string().nullable(),
  problems: z.array(problemView),
  is_subscribed: z.boolean().nullable().describe("Meta sends the webhooks of this channel to us."),
});
export type ChannelFacts = z.output<typeof channelFacts>;

/** @returns true for a number that the Cloud API and the WhatsApp Business app share */
export function isCoexisting(facts: ChannelFacts | null): boolean {
  return facts?.platform_type === "CLOUD_API" && facts.is_on_biz_app === true;
}

/** Result of the last check, as it is stored. */
export interface ChannelHealth {
  /** Facts of the last check without a refusal; null before it. */
  facts: ChannelFacts | null;
  /** Words of Meta's last refusal. */
  providerMessage: string | null;
}

/** A channel account with its state and health, without its token. */
export const channelAccountView = z.strictObject({
  id: recordId,
  channel: restChannel,
  driver: z.enum(channelDrivers),
  channel_app_id: recordId.nullable(),
  external_id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  bot_default: z.boolean(),
  human_agent: z.boolean().describe("People may answer for 7 days at Messenger and Instagram."),
  marks_read: z.boolean().describe("A message that a person opens shows as read to the customer."),
  state: z.enum(channelStates),
  reason: z.string().nullable().describe("One of `channelReasons`; null while it is connected."),
  state_at: timestamp.nullable().describe("Since when it has this state; null: from the start."),
  provider_message: z.string().nullable().describe("Meta's last refusal, in its own words."),
  token: z
    .strictObject({
      scopes: z.array(z.string()),
      missing_scopes: z.array(z.string()),
      expires_at: timestamp.nullable().describe("Null: it does not expire, or nobody knows."),
    })
    .nullable()
    .describe("Null on a sandbox, and once it is disconnected."),
  facts: channelFacts.nullable().describe("Null until a check has succeeded."),
  checked_at: timestamp.nullable(),
  last_webhook_at: timestamp.nullable(),
  last_sent_at: timestamp.nullable(),
  lag_p95_ms: count.nullable().describe("From the arrival of a webhook to its effect, of a day."),
  parked: count.describe("Items that failed five times, or that nobody could read."),
  unrouted: count.describe("Items that arrived while it was disconnected."),
  held: count.describe("Messages to customers that leave once it can send."),
  failures: z
    .array(z.strictObject({ code: z.string(), count }))
    .describe("Messages of the last 24 hours that failed, most frequent code first."),
  fields: z.array(fieldView).describe("Fields of webhooks that the channel needs."),
  created_at: timestamp,
});

const trafficCounts = { inbound: count, outbound: count };

/** Messages of a channel over time. */
export const channelTrafficView = z.strictObject({
  hours: z
    .array(
      z.strictObject({
        starts_at: timestamp,
        ...trafficCounts,
        failed: count.describe("Of the outbound ones."),
      }),
    )
    .describe("The last 24 hours, oldest first; the last one is the current one."),
  last_minute: z.strictObject(trafficCounts),
});
export type ChannelTrafficView = z.output<typeof channelTrafficView>;

/** An item of a webhook, without its content. */
export const channelItemView = z.strictObject({
  id: recordId,
  channel_account_id: recordId.nullable(),
  kind: z.string(),
  state: z.enum(itemStates),
  reason: z.string().nullable(),
  attempts: count,
  created_at: timestamp,
});

/** Content of an item, for an admin who looks for the fault. */
export const channelItemRawView = z.strictObject({
  item: z.unknown().describe("The item as it was read; null once it is done."),
  webhook: z.string().nullable().describe("The webhook's text; null once it is deleted."),
});

/** A webhook that nobody could read. */
export const channelWebhookView = z.strictObject({
  id: recordId,
  channel_app_id: recordId,
  reason: z.string().nullable(),
  bytes: count,
  received_at: timestamp,
});

/** Text of such a webhook. Bytes that are no UTF-8 read as U+FFFD. */
export const channelWebhookRawView = z.strictObject({ webhook: z.string().nullable() });
