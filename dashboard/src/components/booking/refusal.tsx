import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../lib/api.ts";
import { errorText } from "../../lib/error-text.ts";

/** Reason why a time was refused. A time outside opening hours can still be booked on purpose. */
export function Refusal({ error, onAnyway }: { error: unknown; onAnyway: () => void }) {
  const { t } = useTranslation();
  return (
    <Group gap="xs">
      <Text size="sm">{errorText(error)}</Text>
      {isClosed(error) && (
        <Button size="compact-sm" variant="default" onClick={onAnyway}>
          {t("booking.anyway")}
        </Button>
      )}
    </Group>
  );
}

/** @returns true where only opening hours forbid the time. */
export function isClosed(error: unknown): boolean {
  return error instanceof ApiError && error.code === "outside_hours";
}
