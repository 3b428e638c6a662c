import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { clockDuration, useNow } from "../../lib/time.ts";
import type { DeliveryRow } from "./deliveries-api.ts";

/** Countdown to the next attempt, or to the discard. One that is overdue is due now. */
export function NextAttempt({ row }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const at = row.next_attempt_at ?? row.discard_at;
  if (row.state !== "waiting" || at === null) return null;
  const leftMs = new Date(at).getTime() - now;
  const kind = row.next_attempt_at === null ? "discard" : "next";
  return (
    <Text size="sm" className="tabular">
      {leftMs < 1_000
        ? t(`deliveries.${kind}_due`)
        : t(`deliveries.${kind}_in`, { time: clockDuration(leftMs) })}
    </Text>
  );
}
