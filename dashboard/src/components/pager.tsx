import { Button, Group, Text } from "@mantine/core";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import type { ListMeta } from "../lib/api.ts";
import { countWords } from "../lib/count-words.ts";
import { softDisabledButton } from "../lib/soft-disabled-button.ts";

/** The present page of a list, and a function that moves to another page. */
export interface PagerProps {
  meta: ListMeta;
  /** `replace`: the present page leaves the browser history. */
  onMove: (offset: number, how?: { replace: boolean }) => void;
}

/**
 * Position in a list, with buttons to other pages. Nothing where one page holds all rows. An offset
 * behind the last row, for example after a deletion, leads to the last page.
 */
export function Pager({ meta, onMove }: PagerProps) {
  const { t } = useTranslation();
  const { total, limit, offset } = meta;
  const toLast = useEffectEvent(() =>
    onMove(Math.max(0, Math.ceil(total / limit) - 1) * limit, { replace: true }),
  );
  useEffect(() => {
    if (offset > 0 && offset >= total) toLast();
  }, [offset, total]);
  if (total <= limit && offset === 0) return null;
  const words = {
    from: Math.min(offset + 1, total),
    to: Math.min(offset + limit, total),
    total: countWords(t, meta),
  };
  return (
    <Group justify="flex-end" mt="md" gap="xs">
      <Text size="sm" c="dimmed" className="tabular">
        {t("common.page_of", words)}
      </Text>
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(offset === 0, () => onMove(Math.max(0, offset - limit)))}
      >
        {t("common.previous")}
      </Button>
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(offset + limit >= total, () => onMove(offset + limit))}
      >
        {t("common.next")}
      </Button>
    </Group>
  );
}
