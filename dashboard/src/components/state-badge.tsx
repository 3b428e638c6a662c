import {
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconPlayerPause,
  IconRepeat,
  IconSend,
  IconShieldX,
  IconTrash,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { DeliveryState } from "../../../core/model/workflow/delivery.ts";
import type { InboundVerdict } from "../../../core/model/inbound-log.ts";
import type { SubscriptionState } from "../../../core/model/subscription.ts";
import { IconBadge, type BadgeLook } from "./icon-badge.tsx";

const deliveryLooks: Record<DeliveryState, BadgeLook> = {
  queued: { color: "info", icon: IconClock },
  sending: { color: "info", icon: IconSend },
  waiting: { color: "warn", icon: IconClock },
  delivered: { color: "ok", icon: IconCheck },
  discarded: { color: "bad", icon: IconAlertTriangle },
  cancelled: { color: "gray", icon: IconBan },
  skipped: { color: "gray", icon: IconBan },
  held: { color: "gray", icon: IconPlayerPause },
};

const subscriptionLooks: Record<SubscriptionState, BadgeLook> = {
  active: { color: "ok", icon: IconCheck },
  paused: { color: "gray", icon: IconPlayerPause },
  disabled: { color: "bad", icon: IconBan },
  deleted: { color: "gray", icon: IconTrash },
};

const verdictLooks: Record<InboundVerdict, BadgeLook> = {
  done: { color: "ok", icon: IconCheck },
  repeated: { color: "info", icon: IconRepeat },
  bad_signature: { color: "bad", icon: IconShieldX },
  refused: { color: "warn", icon: IconBan },
  limited: { color: "warn", icon: IconBan },
  failed: { color: "bad", icon: IconAlertTriangle },
};

/** Badge with the state of a delivery. */
export function DeliveryBadge({ state }: { state: DeliveryState }) {
  const { t } = useTranslation();
  return <IconBadge look={deliveryLooks[state]} word={t(`delivery_state.${state}`)} />;
}

interface SubscriptionBadgeProps {
  state: SubscriptionState;
  /** True where all recent deliveries to the receiver failed. */
  failing?: boolean;
}

/**
 * Badge with the state of a subscription. An active but failing subscription gets a different
 * badge.
 */
export function SubscriptionBadge({ state, failing = false }: SubscriptionBadgeProps) {
  const { t } = useTranslation();
  if (failing && state === "active") {
    const look = { color: "bad", icon: IconAlertTriangle };
    return <IconBadge look={look} word={t("webhooks.failing")} />;
  }
  return <IconBadge look={subscriptionLooks[state]} word={t(`subscription_state.${state}`)} />;
}

/** Badge with the outcome of an inbound call. `count` is a number of calls with this outcome. */
export function VerdictBadge({ verdict, count }: { verdict: InboundVerdict; count?: number }) {
  const { t } = useTranslation();
  const word = t(`inbound.verdict.${verdict}`);
  const words = count === undefined ? word : `${count} ${word}`;
  return <IconBadge look={verdictLooks[verdict]} word={words} />;
}

/** Badge that says if an inbound endpoint takes calls. */
export function EndpointBadge({ enabled }: { enabled: boolean }) {
  const { t } = useTranslation();
  const look = subscriptionLooks[enabled ? "active" : "disabled"];
  return <IconBadge look={look} word={t(enabled ? "inbound.enabled" : "inbound.disabled")} />;
}
