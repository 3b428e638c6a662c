import { ActionIcon, Button, Title, Tooltip, UnstyledButton } from "@mantine/core";
import { IconArrowLeft, IconCheck, IconLayoutSidebarRight, IconRotate } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { usePageAction } from "../../lib/page-actions.ts";
import { Avatar } from "../../components/avatar.tsx";
import { IconAction } from "../../components/icon-action.tsx";
import { paths } from "../../paths.ts";
import { AgentSwitch, useAgentToggle } from "./agent-switch.tsx";
import type { Conversation } from "./api.ts";
import { HandoffStatus } from "./handoff-status.tsx";
import { AssignSelect } from "./assign-select.tsx";
import { useConversationKeys } from "./selection.ts";
import { SnoozeButton, SnoozedStatus } from "./snooze-button.tsx";
import { ThreadMenu } from "./thread-menu.tsx";
import styles from "./thread.module.css";
import { useResolve } from "./use-resolve.ts";

interface ThreadHeaderProps {
  conversation: Conversation;
  /** Shows the contact on a screen without a panel for it. */
  onContact: () => void;
}

/** Header of a conversation: contact, status and actions, in one line at every width. */
export function ThreadHeader({ conversation, onContact }: ThreadHeaderProps) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const agent = useAgentToggle(conversation);
  return (
    <div className={styles["header"]}>
      <div className={styles["bar"]}>
        <ActionIcon
          hiddenFrom="sm"
          size={44}
          component={Link}
          to={{ pathname: paths.inbox, search }}
          variant="subtle"
          color="gray"
          aria-label={t("inbox.back")}
        >
          <IconArrowLeft size={22} />
        </ActionIcon>
        <Person conversation={conversation} onContact={onContact} />
        <AgentSwitch enabled={agent.enabled} toggle={agent.toggle} />
        <AssignSelect conversation={conversation} size="xs" className={styles["assign"] ?? ""} />
        <SnoozeButton conversation={conversation} />
        <ThreadMenu conversation={conversation} agent={agent} />
        <ResolveButton conversation={conversation} />
        <IconAction
          label={t("contact.title")}
          className={styles["toContext"] ?? ""}
          onClick={onContact}
        >
          <IconLayoutSidebarRight size={18} />
        </IconAction>
        {agent.dialog}
      </div>
    </div>
  );
}

/** Face, name and status of the conversation. On a phone a touch opens the contact. */
function Person({ conversation, onContact }: ThreadHeaderProps) {
  const { t } = useTranslation();
  const { contact, channel, status, handoff } = conversation;
  return (
    <div className={styles["person"]}>
      <Avatar id={contact.id} name={contact.name} size={32} channel={channel} />
      <div className={styles["who"]}>
        <Title order={1} size="h3" dir="auto" lineClamp={1} title={contact.name}>
          {contact.name}
        </Title>
        {conversation.snoozed_until === null ? (
          <HandoffStatus
            status={status}
            handoffAt={handoff?.at ?? null}
            answeredByUserId={conversation.answered_by_user_id}
          />
        ) : (
          <SnoozedStatus until={conversation.snoozed_until} />
        )}
      </div>
      <UnstyledButton
        hiddenFrom="sm"
        className={styles["toContact"] ?? ""}
        aria-label={t("contact.title")}
        onClick={onContact}
      />
    </div>
  );
}

function ResolveButton({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const resolved = conversation.status === "resolved";
  const toggle = useResolve(conversation);
  useConversationKeys({ e: () => toggle("key") });
  const Picture = resolved ? IconRotate : IconCheck;
  const word = t(resolved ? "inbox.reopen" : "inbox.resolve");
  usePageAction({ id: "resolve", label: word, icon: Picture, run: () => toggle("button") });
  return (
    <Tooltip label={word}>
      <Button
        size="xs"
        px="xs"
        flex="none"
        variant="default"
        aria-label={word}
        // The second click of a double click would fall on the next conversation. A click without a
        // count is a key.
        onClick={({ detail }) => detail < 2 && toggle(detail === 0 ? "key" : "button")}
        leftSection={<Picture size={14} aria-hidden />}
        classNames={{
          root: styles["resolve"] ?? "",
          section: styles["icon"] ?? "",
          label: styles["word"] ?? "",
        }}
      >
        {word}
      </Button>
    </Tooltip>
  );
}
