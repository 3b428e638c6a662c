import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useRetryItem, type ChannelItem } from "./api.ts";
import { itemKind } from "../../lib/channel-words.ts";

/** Applies an item once more. */
export function RetryButton({ item }: { item: ChannelItem }) {
  const { t } = useTranslation();
  const retry = useRetryItem(item.id);
  return (
    <PendingButton
      size="xs"
      variant="default"
      aria-label={`${t("channels.retry")}: ${itemKind(item.kind)}`}
      pending={retry.isPending}
      onClick={() =>
        retry.mutate(undefined, {
          onError: (error) => tellFailure(t("channels.not_retried"), error),
          onSuccess: () => tellDone(t("channels.retried")),
        })
      }
    >
      {t("channels.retry")}
    </PendingButton>
  );
}
