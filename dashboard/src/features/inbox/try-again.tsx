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
 * Button that sends a failed message again. A message that may have arrived needs a confirmation.
 */
export function TryAgain({ message }: { message: MessageView }) {
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
  return (
    <>
      <PendingButton
        size="compact-xs"
        variant="light"
        pending={retry.isPending}
        onClick={() => (mayHaveArrived ? ask.open() : retry.mutate())}
      >
        {t("inbox.try_again")}
      </PendingButton>
      {asking && (
        <ConfirmModal
          title={t("inbox.retry_title")}
          text={t("inbox.retry_text")}
          action={t("inbox.retry")}
          pending={retry.isPending}
          onConfirm={() => retry.mutate()}
          onClose={ask.close}
        />
      )}
    </>
  );
}
