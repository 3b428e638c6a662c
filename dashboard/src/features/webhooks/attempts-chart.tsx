import { useTranslation } from "react-i18next";
import { HourChart } from "../../components/hour-chart.tsx";
import type { SubscriptionStats } from "./api.ts";

/** Attempts of 24 hours: successes in indigo below the failures in red. */
export function AttemptsChart({ stats }: { stats: SubscriptionStats }) {
  const { t } = useTranslation();
  const { attempts, failed } = stats;
  return (
    <HourChart
      hours={stats.hours.map((hour) => ({
        startsAt: hour.starts_at,
        values: [hour.attempts - hour.failed, hour.failed],
      }))}
      series={[
        { name: t("deliveries.attempts"), color: "var(--parley-accent)" },
        { name: t("stats.failed"), color: "var(--parley-bad-dot)" },
      ]}
      title={t("stats.title")}
      label={t("stats.spark", { attempts, failed })}
      words={({ values: [passed = 0, missed = 0] }) =>
        t("stats.hour", { count: passed + missed, failed: missed })
      }
      columns={{
        heads: [t("deliveries.attempts"), t("stats.failed")],
        cells: ({ values: [passed = 0, missed = 0] }) => [passed + missed, missed],
      }}
    />
  );
}
