import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconArrowBackUp } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { hoursAndMinutes, useNow } from "../../lib/time.ts";
import { useImportAct, type Import } from "./api.ts";
import { useCountText } from "./use-count-text.ts";

/** Counts of rows that an undo has taken back, and that it has kept. */
export function UndoneCounts({ one: { counts } }: { one: Import }) {
  const { t } = useTranslation();
  const number = useCountText();
  const { undone, kept } = counts.done;
  return (
    <Stack gap={4} maw={720}>
      <Text>{t("imports.undo.undone", { count: undone, total: number(undone) })}</Text>
      {kept > 0 && (
        <Alert color="warn">{t("imports.undo.kept", { count: kept, total: number(kept) })}</Alert>
      )}
    </Stack>
  );
}

/** Button of the undo, with the time for which it is possible. */
export function UndoButton({ one: { id, kind, undo_until: until } }: { one: Import }) {
  const { t } = useTranslation();
  const now = useNow(30_000);
  const [asking, ask] = useDisclosure(false);
  const act = useImportAct(id);
  const leftMs = until === null ? 0 : new Date(until).getTime() - now;
  return (
    <Group gap="sm">
      <Button
        variant="default"
        leftSection={<IconArrowBackUp size={16} aria-hidden />}
        onClick={ask.open}
      >
        {t("imports.undo.action")}
      </Button>
      {leftMs > 0 && (
        <Text size="sm" c="dimmed">
          {t("imports.undo.until", { time: hoursAndMinutes(leftMs) })}
        </Text>
      )}
      {asking && (
        <ConfirmModal
          title={t("imports.undo.title")}
          text={t(kind === "chat" ? "imports.undo.chat_text" : "imports.undo.text")}
          action={t("imports.undo.action")}
          keep={t("common.keep")}
          color="bad"
          pending={act.isPending}
          onConfirm={() =>
            act.mutate("undo", {
              onSuccess: ask.close,
              onError: (error) => tellFailure(t("imports.not_changed"), error),
            })
          }
          onClose={ask.close}
        />
      )}
    </Group>
  );
}
