import type { ChannelPort } from "./port.ts";

/**
 * The channel of a fresh install: accepts every message and reports it delivered and read. The
 * first word of a text can make the channel fail:
 * - `/fail` is refused for good;
 * - `/retry` is accepted at the third try;
 * - `/silent` is accepted and never reported;
 * - `/unknown` leaves and gets no answer.
 */
export const sandboxChannel: ChannelPort = {
  send: async ({ message }) => {
    const accepted = { kind: "accepted" as const, providerId: `sandbox-${message.id}` };
    switch (/^\/[a-z]+/.exec(message.content ?? "")?.[0] ?? "") {
      case "/fail": {
        const error = {
          code: "refused",
          message: "The sandbox refused it.",
          provider_code: "131000",
        };
        return { kind: "permanent", error };
      }
      case "/retry":
        if (message.tries < 3) {
          return { kind: "transient", scope: "provider", waitMs: 0, providerCode: "131016" };
        }
        return { ...accepted, reports: ["delivered", "read"] };
      case "/silent":
        return { ...accepted, reports: [] };
      case "/unknown":
        return { kind: "unknown" };
      default:
        return { ...accepted, reports: ["delivered", "read"] };
    }
  },
};
