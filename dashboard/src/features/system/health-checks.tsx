import { Alert } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { clockDuration } from "../../lib/time.ts";
import type { System } from "./api.ts";

/**
 * Age of the oldest outbox row that people would notice. A first attempt normally begins within a
 * second.
 */
const slowSeconds = 60;

interface Verdict {
  key: string;
  color: "bad" | "warn" | "ok";
  title: string;
  text: string;
}

/**
 * Problems of the installation, each with its effect and the next step; or a note that there is
 * none.
 */
export function HealthChecks({ system }: { system: System }) {
  return useVerdicts(system).map(({ key, color, title, text }) => (
    <Alert
      key={key}
      color={color}
      title={title}
      icon={color === "ok" ? <IconCheck aria-hidden /> : <IconAlertTriangle aria-hidden />}
      role="status"
    >
      {text}
    </Alert>
  ));
}

function useVerdicts({ outbox, temporal, workers }: System): Verdict[] {
  const { t } = useTranslation();
  const found: Verdict[] = [];
  const add = (key: string, color: Verdict["color"], title: string, text: string): void => {
    found.push({ key, color, title, text });
  };
  if (temporal === "unknown")
    add("worker", "bad", t("system.no_worker"), t("system.no_worker_text"));
  if (temporal === "away") add("away", "bad", t("system.away"), t("system.away_text"));
  if (temporal === "reached" && workers.some((worker) => !worker.temporal_reachable)) {
    add("some", "warn", t("system.some_away"), t("system.some_away_text"));
  }
  const oldest = outbox.oldest_seconds ?? 0;
  if (oldest >= slowSeconds) {
    const time = clockDuration(oldest * 1_000);
    add("slow", "warn", t("system.slow"), t("system.slow_text", { time }));
  }
  const count = outbox.parked ?? 0;
  if (count > 0) {
    add("parked", "warn", t("system.parked", { count }), t("system.parked_text"));
  }
  if (found.length === 0) add("fine", "ok", t("system.fine"), t("system.fine_text"));
  return found;
}
