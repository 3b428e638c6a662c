import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ListMeta } from "../lib/api.ts";

/** Where one is in a list, and the ways to its other pages; nothing where one page holds all. */
export function Pager({ meta, onMove }: { meta: ListMeta; onMove: (offset: number) => void }) {
  const { t } = useTranslation();
  const { total, limit, offset } = meta;
  if (total <= limit && offset === 0) return null;
  const words = { from: Math.min(offset + 1, total), to: Math.min(offset + limit, total), total };
  return (
    <Group justify="flex-end" mt="md" gap="xs">
      <Text size="sm" c="dimmed" className="tabular">
        {t("common.page_of", words)}
      </Text>
      <Button
        variant="default"
        size="xs"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - limit))}
      >
        {t("common.previous")}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={offset + limit >= total}
        onClick={() => onMove(offset + limit)}
      >
        {t("common.next")}
      </Button>
    </Group>
  );
}
