import { IconClockPause } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { IconAction } from "../../components/icon-action.tsx";
import { Status } from "../../components/status.tsx";
import { usePageAction } from "../../lib/page-actions.ts";
import { useSession } from "../../lib/session.ts";
import { snoozeText } from "../../lib/time.ts";
import type { Conversation } from "./api.ts";
import { useConversationKeys } from "./selection.ts";
import { SnoozeMenu } from "./snooze-menu.tsx";
import { useConversationChange } from "./use-conversation-change.ts";

/** Button that snoozes an open conversation, and says until when. Nothing in a resolved one. */
export function SnoozeButton({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const { id, status, snoozed_until: until } = conversation;
  const change = useConversationChange(id);
  const [opened, setOpened] = useState(false);
  const isOpen = status !== "resolved";
  useConversationKeys(isOpen ? { z: () => setOpened(true) } : {});
  usePageAction(
    isOpen
      ? {
          id: "snooze",
          label: t("snooze.action"),
          icon: IconClockPause,
          run: () => setOpened(true),
        }
      : null,
  );
  if (!isOpen) return null;
  const word =
    until === null
      ? t("snooze.action")
      : t("inbox.snoozed_until", { time: snoozeText(until, account.time_zone) });
  return (
    <SnoozeMenu
      opened={opened}
      onChange={setOpened}
      isSnoozed={until !== null}
      onSnooze={(next) => change.mutate({ type: "snooze", until: next })}
    >
      <IconAction
        label={word}
        size="var(--parley-control-small)"
        flex="none"
        variant={until === null ? "subtle" : "light"}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        <IconClockPause size={16} />
      </IconAction>
    </SnoozeMenu>
  );
}

/** Says until when a conversation is snoozed. */
export function SnoozedStatus({ until }: { until: string }) {
  const { t } = useTranslation();
  const { account } = useSession();
  const time = snoozeText(until, account.time_zone);
  return <Status tone="gray">{t("inbox.snoozed_until", { time })}</Status>;
}
