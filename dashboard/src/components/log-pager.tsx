import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { LogMeta } from "../lib/api.ts";
import { countWords } from "../lib/count-words.ts";
import { softDisabledButton } from "../lib/soft-disabled-button.ts";

interface LogPagerProps {
  meta: LogMeta;
  /** The row that the page begins behind; null on the newest page. */
  beforeId: number | null;
  onMove: (beforeId: number | null) => void;
}

/** Size of a log, with buttons to older rows and back to the newest ones. */
export function LogPager({ meta, beforeId, onMove }: LogPagerProps) {
  const { t } = useTranslation();
  const { next } = meta;
  if (beforeId === null && next === null) return null;
  return (
    <Group justify="flex-end" mt="md" gap="xs">
      <Text size="sm" c="dimmed" className="tabular">
        {t("common.in_all", { total: countWords(t, meta) })}
      </Text>
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(beforeId === null, () => onMove(null))}
      >
        {t("common.newest")}
      </Button>
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(next === null, () => onMove(next))}
      >
        {t("common.older")}
      </Button>
    </Group>
  );
}
