import { Group, Paper, Progress, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { clockDuration } from "../../lib/time.ts";
import { useCountText } from "./use-count-text.ts";
import { useRate } from "./use-rate.ts";

interface ImportProgressProps {
  id: number;
  /** Rows that are done. */
  done: number;
  /** Rows of the file. */
  total: number;
  /** False while the work is paused, so that no rate is shown. */
  isRunning: boolean;
  /** Name of the bar for screen readers. */
  label: string;
  /** A sentence below the bar. */
  text: string;
  /** Buttons. */
  children?: ReactNode;
}

/** Bar with the rows that are done, the rows per second, and the time that is left. */
export function ImportProgress(props: ImportProgressProps) {
  const { id, done, total, isRunning, label, text, children } = props;
  const { t } = useTranslation();
  const number = useCountText();
  const rate = useRate(`${id} ${label}`, done, isRunning);
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const left = rate === null || rate <= 0 ? null : ((total - done) / rate) * 1_000;
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text fw={500} className="tabular">
            {t("imports.run.done_of", { done: number(done), total: number(total) })}
          </Text>
          <Text size="sm" c="dimmed" className="tabular">
            {[
              rate !== null && t("imports.run.rate", { rate: number(Math.round(rate)) }),
              left !== null && t("imports.run.left", { time: clockDuration(left) }),
            ]
              .filter((word) => word !== false)
              .join(" · ")}
          </Text>
        </Group>
        <Progress value={share * 100} aria-label={label} />
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {text}
          </Text>
          {children}
        </Group>
      </Stack>
    </Paper>
  );
}
