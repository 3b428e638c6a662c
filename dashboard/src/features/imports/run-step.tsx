import { Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useImportAct, type Import, type ImportAct } from "./api.ts";
import { ImportProgress } from "./import-progress.tsx";

/** An import that runs, waits for its turn, or is paused. */
export function RunStep({ one }: { one: Import }) {
  const { t } = useTranslation();
  const isPaused = one.state === "paused";
  const words = isPaused ? "paused" : one.is_waiting ? "waiting" : "leave";
  return (
    <Stack gap="md" maw={720}>
      <ImportProgress
        id={one.id}
        done={doneRows(one)}
        total={one.counts.rows}
        isRunning={!isPaused && !one.is_waiting}
        label={t("imports.run.progress")}
        text={t(`imports.run.${words}`)}
      >
        <Actions id={one.id} isPaused={isPaused} />
      </ImportProgress>
    </Stack>
  );
}

/** Rows with an outcome. */
function doneRows({ counts: { done } }: Import): number {
  const { created, updated, unchanged, skipped, conflicts, failed } = done;
  return created + updated + unchanged + skipped + conflicts + failed;
}

function Actions({ id, isPaused }: { id: number; isPaused: boolean }) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const act = useImportAct(id);
  const take = (next: ImportAct): void =>
    act.mutate(next, { onError: (error) => tellFailure(t("imports.not_changed"), error) });
  return (
    <Group gap="xs">
      <Button variant="default" onClick={ask.open}>
        {t("imports.cancel")}
      </Button>
      {/* One button for both, so that the keyboard focus stays. */}
      <PendingButton
        variant={isPaused ? "filled" : "default"}
        leftSection={
          isPaused ? (
            <IconPlayerPlay size={16} aria-hidden />
          ) : (
            <IconPlayerPause size={16} aria-hidden />
          )
        }
        pending={act.isPending}
        onClick={() => take(isPaused ? "resume" : "pause")}
      >
        {t(isPaused ? "imports.run.resume" : "imports.run.pause")}
      </PendingButton>
      {asking && (
        <ConfirmModal
          title={t("imports.cancel_title")}
          text={t("imports.cancel_running_text")}
          action={t("imports.cancel")}
          keep={t("imports.run.go_on")}
          color="bad"
          pending={act.isPending}
          onConfirm={() => {
            take("cancel");
            ask.close();
          }}
          onClose={ask.close}
        />
      )}
    </Group>
  );
}
