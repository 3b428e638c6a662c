import i18next from "i18next";
import type { z } from "zod";
import type { ChannelReason } from "../../../core/model/channel-reasons.ts";
import type { channelAccountView } from "../../../core/model/channel-setup.ts";
import type { ChannelState } from "../../../core/model/channels.ts";
import type { Tone } from "../components/status.tsx";

type Channel = z.output<typeof channelAccountView>;

/** Tone of each state. All but `connected` and `disconnected` need somebody. */
export const stateTones: Record<ChannelState, Tone> = {
  connected: "ok",
  degraded: "warn",
  needs_reauth: "bad",
  disconnected: "gray",
};

/** Name of a channel. A sandbox is named after the channel that it stands for. */
export function channelName({ driver, channel, name }: Channel): string {
  if (driver !== "sandbox") return name;
  return i18next.t("channels.sandbox_name", { channel: i18next.t(`channel.${channel}`) });
}

/** Meta's id and the number or user name of a channel; null where there is no network. */
export function channelAddress({ driver, facts, external_id: id }: Channel): string | null {
  if (driver === "sandbox" || driver === "web") return null;
  return facts?.display_name ?? id;
}

/** Reason of a state and its fix, in the person's language; null where we have no words. */
export function reasonWords(reason: string | null): { reason: string; fix: string } | null {
  if (reason === null || !i18next.exists(`channels.reason.${reason}`)) return null;
  const known = reason as ChannelReason;
  return { reason: i18next.t(`channels.reason.${known}`), fix: i18next.t(`channels.fix.${known}`) };
}

/** Words of an error of a message and its fix. An unknown code is shown in words. */
export function failureWords(code: string): { reason: string; fix: string } {
  if (!i18next.exists(`channels.failure.${code}`)) {
    return { reason: code.replaceAll("_", " "), fix: "–" };
  }
  const known = code as "outcome_unknown";
  return {
    reason: i18next.t(`channels.failure.${known}`),
    fix: i18next.t(`channels.failure_fix.${known}`),
  };
}

/** Word of a kind of item. An unknown kind is shown itself. */
export function itemKind(kind: string): string {
  const key = `channels.kind.${kind}`;
  return i18next.exists(key) ? i18next.t(key as "channels.kind.message") : kind;
}

/** Words of the reason why an item was set aside. */
export function itemReason(reason: string | null): string {
  const key = `channels.item_reasons.${reason}`;
  if (i18next.exists(key)) return i18next.t(key as "channels.item_reasons.group");
  return reason === null ? "–" : reason.replaceAll("_", " ");
}
