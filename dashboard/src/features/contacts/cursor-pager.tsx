import { Button, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";

interface CursorPagerProps {
  meta: { next?: string | null | undefined };
  /** Place where the page begins; null on the first page. */
  cursor: string | null;
  onMove: (cursor: string | null) => void;
}

/** Buttons to the next page and back to the first. The Back button of the browser goes one back. */
export function CursorPager({ meta: { next = null }, cursor, onMove }: CursorPagerProps) {
  const { t } = useTranslation();
  if (cursor === null && next === null) return null;
  return (
    <Group justify="flex-end" mt="md" gap="xs">
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(cursor === null, () => onMove(null))}
      >
        {t("contacts.first_page")}
      </Button>
      <Button
        variant="default"
        size="xs"
        {...softDisabledButton(next === null, () => onMove(next))}
      >
        {t("common.next")}
      </Button>
    </Group>
  );
}
