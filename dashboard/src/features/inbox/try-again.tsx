import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { MessageView } from "../../../../core/model/message.ts";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { liveKeys } from "../../lib/live-changes.ts";
import { tellFailure } from "../../lib/notify.ts";
import { retryMessage } from "./api.ts";

/**
 * Sends a failed message again. A message that may have arrived needs a confirmation, in the
 * `dialog`.
 */
export function useTryAgain(message: MessageView) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [asking, ask] = useDisclosure(false);
  const mayHaveArrived = message.error?.code === "outcome_unknown";
  const retry = useMutation({
    mutationFn: async () => await retryMessage(message.id, mayHaveArrived),
    onError: (error) => tellFailure(t("inbox.not_retried"), error),
    onSettled: async () => {
      ask.close();
      await client.invalidateQueries({ queryKey: liveKeys.conversation(message.conversation_id) });
    },
  });
  const dialog = asking && (
    <ConfirmModal
      title={t("inbox.retry_title")}
      text={t("inbox.retry_text")}
      action={t("inbox.retry")}
      pending={retry.isPending}
      onConfirm={() => retry.mutate()}
      onClose={ask.close}
    />
  );
  const start = (): void => (mayHaveArrived ? ask.open() : retry.mutate());
  return { start, pending: retry.isPending, dialog };
}

/** Button that sends a failed message again. */
export function TryAgain({ retry }: { retry: ReturnType<typeof useTryAgain> }) {
  const { t } = useTranslation();
  return (
    <>
      <PendingButton
        size="compact-xs"
        mt={4}
        variant="light"
        pending={retry.pending}
        onClick={retry.start}
      >
        {t("inbox.try_again")}
      </PendingButton>
      {retry.dialog}
    </>
  );
}
