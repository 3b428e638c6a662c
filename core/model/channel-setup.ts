import { z } from "zod";
import { channelStates, metaDrivers, channelDrivers, restChannel } from "./channels.ts";
import { itemStates } from "./channel-intake.ts";
import { recordId, timestamp } from "./wire.ts";

const metaId = z.string().regex(/^\d{1,32}$/u, "Use the digits that Meta shows.");
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{8,128}$/u, "Use 8 to 128 visible ASCII characters without blanks.");

/** Body of POST /channel-apps: a Meta app with the secrets that sign its webhooks. */
export const channelAppBody = z.strictObject({
  app_id: metaId,
  app_secret: secret,
  instagram_app_secret: secret.optional().describe("Instagram Login signs with its own secret."),
});
export type ChannelAppBody = z.output<typeof channelAppBody>;

/** An app with the URL and the token to paste into Meta's settings. */
export const channelAppView = z.strictObject({
  id: recordId,
  slug: z.string(),
  webhook_url: z.string(),
  verify_token: z.string(),
});

/** Body of POST /channel-accounts: a number, Page or Instagram account of an app. */
export const channelAccountBody = z.strictObject({
  driver: z.enum(metaDrivers),
  channel_app_id: recordId,
  external_id: metaId.describe("Phone number id, Page id, or Instagram user id."),
  parent_id: metaId.optional().describe("WhatsApp Business Account, or the Page."),
  token: z.string().regex(/^[\x21-\x7e]{8,1000}$/u, "Use 8 to 1000 visible ASCII characters."),
});
export type ChannelAccountBody = z.output<typeof channelAccountBody>;

/** A channel account with its state, without its token. */
export const channelAccountView = z.strictObject({
  id: recordId,
  channel: restChannel,
  driver: z.enum(channelDrivers),
  channel_app_id: recordId.nullable(),
  external_id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  state: z.enum(channelStates),
  reason: z.string().nullable(),
  parked: z.int().min(0).describe("Items that failed five times, or that nobody could read."),
  created_at: timestamp,
});

/** An item of a webhook, without its content. */
export const channelItemView = z.strictObject({
  id: recordId,
  channel_account_id: recordId.nullable(),
  kind: z.string(),
  state: z.enum(itemStates),
  reason: z.string().nullable(),
  attempts: z.int().min(0),
  created_at: timestamp,
});
