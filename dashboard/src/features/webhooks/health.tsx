import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Moment } from "../../components/moment.tsx";
import { tookText } from "../../lib/time.ts";
import { subscriptionPath } from "../../paths.ts";
import { errorWords } from "./answer.ts";
import { statsQuery, type SubscriptionStats } from "./api.ts";
import { AttemptsChart } from "./attempts-chart.tsx";
import styles from "./webhooks.module.css";

/** Figures of a subscription's receiver in the last 24 hours. */
export function Health({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data } = useQuery(statsQuery(id));
  if (data === undefined) return <Skeleton height={84} />;
  return (
    <section className={styles["health"]} aria-label={t("stats.title")}>
      <div>
        <span className={styles["label"]}>{t("stats.last_day")}</span>
        <AttemptsChart stats={data} />
      </div>
      <Figure name={t("stats.success")}>
        <SuccessShare stats={data} className={styles["figure"]} />
      </Figure>
      <Figure name={t("stats.p95")}>
        <P95 stats={data} className={styles["figure"]} />
      </Figure>
      <Figure name={t("stats.last_error")}>
        <LastError stats={data} />
      </Figure>
    </section>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <span className={styles["label"]}>{name}</span>
      {children}
    </div>
  );
}

interface FigureProps {
  stats: SubscriptionStats;
  /** A larger look, where the figure stands alone. */
  className?: string | undefined;
}

/** `99.8 %` of the attempts; `≈` where only a sample of them was counted. */
export function SuccessShare({ stats, className = "" }: FigureProps) {
  const { t } = useTranslation();
  const { attempts, failed, sampled } = stats;
  if (attempts === 0) return <Text c="dimmed">{t("stats.none")}</Text>;
  // Rounded down, so that 99.96 % does not become 100 %.
  const percent = Math.floor(((attempts - failed) / attempts) * 1_000) / 10;
  const share = t("stats.share", { percent });
  return (
    <Text
      className={`tabular ${className}`}
      style={{ whiteSpace: "nowrap" }}
      title={sampled ? t("stats.sampled") : undefined}
    >
      {sampled ? `≈ ${share}` : share}
    </Text>
  );
}

/** Duration within which 95 % of the answers arrived. */
export function P95({ stats: { p95_ms }, className = "" }: FigureProps) {
  const { t } = useTranslation();
  if (p95_ms === null) return <Text c="dimmed">{t("stats.none")}</Text>;
  return (
    <Text className={`tabular ${className}`} style={{ whiteSpace: "nowrap" }}>
      {tookText(p95_ms)}
    </Text>
  );
}

/** The last error, with a link to its delivery. */
export function LastError({ stats }: { stats: SubscriptionStats }) {
  const { t } = useTranslation();
  const { last_error: error, subscription_id: id } = stats;
  if (error === null) return <Text c="dimmed">{t("stats.no_error")}</Text>;
  const to = `${subscriptionPath(id)}?delivery=${error.delivery_id}`;
  return (
    <Text>
      {/* Underlined: beside other text, colour alone would not mark a link. */}
      <Anchor component={Link} to={to} inherit underline="always">
        {errorWords(error)}
      </Anchor>{" "}
      <Text span size="xs" c="dimmed">
        <Moment at={error.at} />
      </Text>
    </Text>
  );
}
