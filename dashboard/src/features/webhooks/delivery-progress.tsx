import { Group, Text, VisuallyHidden } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { formatWait, maxAttempts } from "../../../../core/model/workflow/delivery.ts";
import { codeText } from "../../lib/code-text.ts";
import { useSession } from "../../lib/session.ts";
import { clockDuration, clockSeconds, useNow } from "../../lib/time.ts";
import type { Delivery } from "./deliveries-api.ts";
import { DeliveryTimeline } from "./delivery-timeline.tsx";
import { timelineOf, type TimelineStep } from "./timeline.ts";
import styles from "./webhooks.module.css";

/** Present step of a delivery with a countdown, the plan after it, and all attempts in a row. */
export function DeliveryProgress({ delivery }: { delivery: Delivery }) {
  const now = useNow(1_000);
  const steps = timelineOf(delivery);
  const at =
    delivery.state === "waiting" ? (delivery.next_attempt_at ?? delivery.discard_at) : null;
  const leftMs = at === null ? null : Math.max(0, Date.parse(at) - now);
  const wait = steps.findLast(({ outcome }) => outcome !== "planned")?.waitMs ?? null;
  const progress = leftMs === null || wait === null ? null : 1 - Math.min(1, leftMs / wait);
  const title = useTitle(delivery, steps, leftMs);
  const plan = usePlan(delivery, steps);
  return (
    <div className={styles["progress"]}>
      <Group justify="space-between" gap="xs">
        <Text fw={600} className="tabular">
          {title}
        </Text>
        {plan !== null && (
          <Text size="xs" c="dimmed" className="tabular">
            {plan}
          </Text>
        )}
      </Group>
      {/* Screen readers hear the end of the countdown, and no second of it. */}
      <VisuallyHidden role="status">{leftMs !== null && leftMs < 1_000 && title}</VisuallyHidden>
      <DeliveryTimeline steps={steps} progress={progress} />
    </div>
  );
}

/** `Attempt 4 of 6 in 7:12`, or the end that the delivery has come to. */
function useTitle(delivery: Delivery, steps: TimelineStep[], leftMs: number | null): string {
  const { t } = useTranslation();
  const { state, reason } = delivery;
  const numbers = { number: numberOf(steps), max: maxAttempts };
  switch (state) {
    case "waiting": {
      const kind = delivery.next_attempt_at === null ? "discard" : "next";
      return leftMs === null || leftMs < 1_000
        ? t(`deliveries.progress.${kind}_due`, numbers)
        : t(`deliveries.progress.${kind}`, { ...numbers, time: clockDuration(leftMs) });
    }
    case "queued":
    case "sending":
    case "delivered":
    case "discarded":
      return t(`deliveries.progress.${state}`, numbers);
    case "cancelled":
    case "skipped":
    case "held":
      return reason === null ? t(`delivery_state.${state}`) : codeText("delivery_reason", reason);
  }
}

/** Number of the next attempt where one is planned, else of the last one. */
function numberOf(steps: TimelineStep[]): number {
  const step = steps.find(({ outcome }) => outcome === "planned") ?? steps.at(-1);
  return step?.number ?? 1;
}

/** `at 10:00:41, then after 1 h and 6 h; fails 24 h later`; null where no attempt is planned. */
function usePlan(delivery: Delivery, steps: TimelineStep[]): string | null {
  const { t, i18n } = useTranslation();
  const { account } = useSession();
  const { state, next_attempt_at: at } = delivery;
  if (state !== "waiting" || at === null) return null;
  const time = clockSeconds(at, account.time_zone);
  const waits = steps.flatMap(({ outcome, waitMs }) =>
    outcome === "planned" && waitMs !== null ? [formatWait(waitMs)] : [],
  );
  const end = waits.at(-1) ?? "";
  const later = waits.slice(0, -1);
  if (later.length === 0) return t("deliveries.progress.plan_last", { time, end });
  const list = new Intl.ListFormat(i18n.language).format(later);
  return t("deliveries.progress.plan", { time, waits: list, end });
}
