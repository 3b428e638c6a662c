import type { ChannelPort } from "./port.ts";

/**
 * Web chat needs no network: the message is in the database, where the visitor's stream reads it. The
 * stream and the widget report it as delivered and read.
 */
export const webChannel: ChannelPort = {
  send: async ({ message }) => ({
    kind: "accepted",
    providerId: `web-${message.id}`,
    reports: [],
  }),
};
