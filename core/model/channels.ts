import { z } from "zod";

/** Channels as the REST API spells them. Rule C5. */
export const restChannels = ["whatsapp", "instagram", "facebook", "web"] as const;
export type RestChannel = (typeof restChannels)[number];

/** Channels as events and the channel filter of subscriptions spell them. Rule C5. */
export const eventChannels = ["whatsapp", "instagram", "facebook", "web_widget"] as const;
export type EventChannel = (typeof eventChannels)[number];

/** A channel in a REST request or answer: `web` for web chat. */
export const restChannel = z.enum(restChannels);

/** A channel in an event or a channel filter: `web_widget` for web chat. */
export const eventChannel = z.enum(eventChannels);

/** The spelling that events use for a channel of the REST API. */
export function toEventChannel(channel: RestChannel): EventChannel {
  return channel === "web" ? "web_widget" : channel;
}

/** The spelling that the REST API uses for a channel of an event. */
export function toRestChannel(channel: EventChannel): RestChannel {
  return channel === "web_widget" ? "web" : channel;
}

/**
 * The channel's provider approves templates, and they can be sent also while the window is closed.
 * @returns true where the channel has templates.
 */
export function hasTemplates(channel: RestChannel): boolean {
  return channel === "whatsapp";
}

/** Drivers of Meta's networks. Each needs an app of the account. */
export const metaDrivers = [
  "whatsapp_cloud",
  "messenger",
  "instagram_page",
  "instagram_login",
] as const;
export type MetaDriver = (typeof metaDrivers)[number];

/**
 * Drivers that carry the messages of a channel account. The sandbox and web chat need no
 * credentials and no provider.
 */
export const channelDrivers = ["sandbox", "web", ...metaDrivers] as const;
export type ChannelDriver = (typeof channelDrivers)[number];

/** @returns true for a driver of Meta's networks. */
export function isMetaDriver(driver: ChannelDriver): driver is MetaDriver {
  return metaDrivers.some((one) => one === driver);
}

/** The channel that a driver of Meta serves. */
export const channelOfDriver = {
  whatsapp_cloud: "whatsapp",
  messenger: "facebook",
  instagram_page: "instagram",
  instagram_login: "instagram",
} as const satisfies Record<MetaDriver, RestChannel>;

/** States of a channel account. All but `disconnected` receive. */
export const channelStates = ["connected", "degraded", "needs_reauth", "disconnected"] as const;
export type ChannelState = (typeof channelStates)[number];

/** Reasons of a degraded channel that takes messages all the same. */
const sendingReasons: readonly (string | null)[] = [
  "unverified",
  "not_subscribed",
  "callback_not_reached",
  "messages_limited",
];

/** @returns true where the channel can send nothing, so that its messages stay queued. */
export function isSendingHeld(channel: { state: ChannelState; stateReason: string | null }) {
  switch (channel.state) {
    case "connected":
      return false;
    case "degraded":
      return !sendingReasons.includes(channel.stateReason);
    case "needs_reauth":
    case "disconnected":
      return true;
  }
}

/** Meanings of a customer's id on a channel. */
export const identityKinds = ["phone", "user_id", "parent_user_id", "page_scoped"] as const;
export type IdentityKind = (typeof identityKinds)[number];
