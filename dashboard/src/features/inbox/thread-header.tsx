import { ActionIcon, Button, Title, Tooltip } from "@mantine/core";
import { IconArrowLeft, IconCheck, IconInfoCircle, IconRotate } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { usePageAction } from "../../lib/page-actions.ts";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { paths } from "../../paths.ts";
import { AgentSwitch } from "./agent-switch.tsx";
import type { Conversation } from "./api.ts";
import { HandoffStatus } from "./handoff-status.tsx";
import { AssignSelect } from "./assign-select.tsx";
import styles from "./inbox.module.css";
import { useConversationChange } from "./use-conversation-change.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { WaitButton } from "./wait-button.tsx";

interface ThreadHeaderProps {
  conversation: Conversation;
  /** Shows the contact on a screen without a panel for it. */
  onContact: () => void;
}

/** Header of a conversation: contact, status and actions. */
export function ThreadHeader({ conversation, onContact }: ThreadHeaderProps) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const { contact, channel, status, handoff } = conversation;
  return (
    <div className={styles["header"]}>
      <div className={styles["bar"]}>
        <ActionIcon
          hiddenFrom="sm"
          component={Link}
          to={{ pathname: paths.inbox, search }}
          variant="subtle"
          color="gray"
          aria-label={t("inbox.back")}
        >
          <IconArrowLeft size={20} />
        </ActionIcon>
        <ChannelIcon channel={channel} />
        <div className={styles["who"]}>
          <Title order={1} size="h2" dir="auto" lineClamp={1} title={contact.name}>
            {contact.name}
          </Title>
          <HandoffStatus
            status={status}
            handoffAt={handoff?.at ?? null}
            answeredByUserId={conversation.answered_by_user_id}
          />
        </div>
        <AgentSwitch conversation={conversation} />
        <AssignSelect conversation={conversation} size="xs" className={styles["assign"] ?? ""} />
        <WaitButton conversation={conversation} />
        <ResolveButton conversation={conversation} />
        <IconAction
          label={t("contact.title")}
          className={styles["contactButton"] ?? ""}
          onClick={onContact}
        >
          <IconInfoCircle size={20} />
        </IconAction>
      </div>
    </div>
  );
}

function ResolveButton({ conversation: { id, status } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const change = useConversationChange(id);
  const resolved = status === "resolved";
  const toggle = (): void =>
    change.mutate({ type: "status", status: resolved ? "active" : "resolved" });
  useShortcuts({ e: toggle });
  const Picture = resolved ? IconRotate : IconCheck;
  const word = t(resolved ? "inbox.reopen" : "inbox.resolve");
  usePageAction({ id: "resolve", label: word, icon: Picture, run: toggle });
  return (
    <Tooltip label={word}>
      <Button
        size="xs"
        px="xs"
        flex="none"
        variant="default"
        aria-label={word}
        onClick={toggle}
        leftSection={<Picture size={14} aria-hidden />}
        classNames={{ section: styles["icon"] ?? "", label: styles["word"] ?? "" }}
      >
        {word}
      </Button>
    </Tooltip>
  );
}
