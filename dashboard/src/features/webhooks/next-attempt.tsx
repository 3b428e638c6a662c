import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { clockDuration, useNow } from "../../lib/time.ts";
import type { DeliveryRow } from "./deliveries-api.ts";

/** Countdown to the next attempt, or to the discard. */
export function NextAttempt({ row }: { row: DeliveryRow }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const at = row.next_attempt_at ?? row.discard_at;
  if (row.state !== "waiting" || at === null) return null;
  const time = clockDuration(new Date(at).getTime() - now);
  const isTry = row.next_attempt_at !== null;
  return (
    <Text size="sm" className="tabular">
      {t(isTry ? "deliveries.next_in" : "deliveries.discard_in", { time })}
    </Text>
  );
}
