import { useTranslation } from "react-i18next";
import type { DeliveryState } from "../../../core/model/workflow/delivery.ts";
import type { InboundVerdict } from "../../../core/model/inbound-log.ts";
import type { SubscriptionState } from "../../../core/model/subscription.ts";
import { Status, type Tone } from "./status.tsx";

const deliveryTones: Record<DeliveryState, Tone> = {
  queued: "info",
  sending: "info",
  waiting: "warn",
  delivered: "ok",
  discarded: "bad",
  cancelled: "gray",
  skipped: "gray",
  held: "gray",
};

const subscriptionTones: Record<SubscriptionState, Tone> = {
  active: "ok",
  paused: "gray",
  disabled: "bad",
  deleted: "gray",
};

const verdictTones: Record<InboundVerdict, Tone> = {
  done: "ok",
  repeated: "info",
  bad_signature: "bad",
  refused: "warn",
  limited: "warn",
  failed: "bad",
};

/** State of a delivery. */
export function DeliveryStatus({ state }: { state: DeliveryState }) {
  const { t } = useTranslation();
  return <Status tone={deliveryTones[state]}>{t(`delivery_state.${state}`)}</Status>;
}

interface SubscriptionStatusProps {
  state: SubscriptionState;
  /** True where all recent deliveries to the receiver failed. */
  failing?: boolean;
}

/** State of a subscription. An active but failing subscription says that it fails. */
export function SubscriptionStatus({ state, failing = false }: SubscriptionStatusProps) {
  const { t } = useTranslation();
  if (failing && state === "active") return <Status tone="bad">{t("webhooks.failing")}</Status>;
  return <Status tone={subscriptionTones[state]}>{t(`subscription_state.${state}`)}</Status>;
}

/** Outcome of an inbound call. `count` is a number of calls with this outcome. */
export function VerdictStatus({ verdict, count }: { verdict: InboundVerdict; count?: number }) {
  const { t } = useTranslation();
  const word = t(`inbound.verdict.${verdict}`);
  const words = count === undefined ? word : `${count} ${word}`;
  return <Status tone={verdictTones[verdict]}>{words}</Status>;
}

/** Says if an inbound endpoint takes calls. */
export function EndpointStatus({ enabled }: { enabled: boolean }) {
  const { t } = useTranslation();
  return (
    <Status tone={enabled ? "ok" : "bad"}>
      {t(enabled ? "inbound.enabled" : "inbound.disabled")}
    </Status>
  );
}
