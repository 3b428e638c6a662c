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

/**
 * Drivers that carry the messages of a channel account. The sandbox needs no credentials and no
 * provider.
 */
export const channelDrivers = ["sandbox"] as const;
export type ChannelDriver = (typeof channelDrivers)[number];
