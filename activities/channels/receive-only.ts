import type { ChannelPort } from "./port.ts";

/** The port of a channel that only receives: every message fails, and its author sees why. */
export const receiveOnlyChannel: ChannelPort = {
  send: async () => ({
    kind: "permanent",
    error: {
      code: "channel_unavailable",
      message: "This channel receives messages and cannot send them. Answer in the network's app.",
      provider_code: null,
    },
  }),
};
