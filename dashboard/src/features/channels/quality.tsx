import { Group, Paper, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Status, type Tone } from "../../components/status.tsx";
import type { Channel } from "./api.ts";
import styles from "./channels.module.css";

/** Ratings of Meta, from the worst to the best. */
const ratings = ["RED", "YELLOW", "GREEN"] as const;
const tones: Record<(typeof ratings)[number], Tone> = { RED: "bad", YELLOW: "warn", GREEN: "ok" };

/** Meta's rating of a number, by what customers block and report. */
export function Quality({ facts }: { facts: NonNullable<Channel["facts"]> }) {
  const { t } = useTranslation();
  const rating = ratings.find((one) => one === facts.quality_rating);
  return (
    <Paper withBorder p="md" component="section" aria-label={t("channels.quality")}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h3">
          {t("channels.quality")}
        </Title>
        {rating === undefined ? (
          <Status tone="gray">{t("channels.quality_unknown")}</Status>
        ) : (
          <Status tone={tones[rating]}>{t(`channels.rating.${rating}`)}</Status>
        )}
      </Group>
      <div className={styles["scale"]} aria-hidden>
        {ratings.map((one) => (
          <i key={one} data-tone={tones[one]} data-on={one === rating || undefined} />
        ))}
      </div>
      <Text size="xs" c="dimmed" mt="xs">
        {t(
          rating === undefined ? "channels.quality_unknown_text" : `channels.rating_text.${rating}`,
        )}
      </Text>
    </Paper>
  );
}
