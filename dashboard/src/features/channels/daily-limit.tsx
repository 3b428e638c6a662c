import { Group, Paper, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import styles from "./channels.module.css";

/** Steps of Meta's limit: customers a day to whom a business may write first. */
const limits = ["TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED"];

/** Customers a day to whom the number may write first, as a step among Meta's steps. */
export function DailyLimit({ limit }: { limit: string | null }) {
  const { t } = useTranslation();
  const at = limits.indexOf(limit ?? "");
  const word = (tier: string): string =>
    tier === "TIER_UNLIMITED" ? t("channels.limit_none") : tier.replace("TIER_", "");
  return (
    <Paper withBorder p="md" component="section" aria-label={t("channels.limit")}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h3">
          {t("channels.limit")}
        </Title>
        <Text size="xs" c="dimmed">
          {limit === null ? t("channels.quality_unknown") : word(limit)}
        </Text>
      </Group>
      {at >= 0 && (
        <div className={styles["ladder"]} aria-hidden>
          {limits.map((tier, index) => (
            <span
              key={tier}
              data-on={index === at || undefined}
              style={{ height: `${30 + index * 14}%` }}
            >
              {word(tier)}
            </span>
          ))}
        </div>
      )}
      <Text size="xs" c="dimmed" mt="xs">
        {t("channels.limit_text")}
      </Text>
    </Paper>
  );
}
