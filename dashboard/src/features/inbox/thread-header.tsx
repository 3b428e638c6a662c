import { ActionIcon, Box, Button, Group, Select, Title, Tooltip } from "@mantine/core";
import { IconArrowLeft, IconCheck, IconInfoCircle, IconRotate } from "@tabler/icons-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { useTeam } from "../../lib/team.ts";
import { paths } from "../../paths.ts";
import { AgentSwitch } from "./agent-switch.tsx";
import type { Conversation } from "./api.ts";
import { ConversationBadge } from "./conversation-badge.tsx";
import { openSelect } from "./open-select.ts";
import { useConversationChange } from "./use-conversation-change.ts";
import { useShortcuts } from "./use-shortcuts.ts";

interface ThreadHeaderProps {
  conversation: Conversation;
  /** Shows the contact where there is no room for it beside. */
  onContact: () => void;
}

/** Who the conversation is with, how it stands, and what can be done with it. */
export function ThreadHeader({ conversation, onContact }: ThreadHeaderProps) {
  const { t } = useTranslation();
  const { search } = useLocation();
  const { contact, channel, status, handoff } = conversation;
  return (
    <Box px="md" py="xs" style={{ borderBottom: "1px solid var(--mantine-color-default-border)" }}>
      <Group gap="xs" wrap="nowrap">
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
        <ChannelIcon channel={channel} size={18} />
        <Title order={1} size="h2" flex={1} dir="auto" lineClamp={1}>
          {contact.name}
        </Title>
        <ConversationBadge
          status={status}
          handoffAt={handoff?.at ?? null}
          answeredByUserId={conversation.answered_by_user_id}
        />
        <Tooltip label={t("contact.title")}>
          <ActionIcon
            variant="subtle"
            color="gray"
            hiddenFrom="lg"
            onClick={onContact}
            aria-label={t("contact.title")}
          >
            <IconInfoCircle size={20} />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Group gap="xs" mt={6}>
        <AgentSwitch conversation={conversation} />
        <AssignSelect conversation={conversation} />
        <ResolveButton conversation={conversation} />
      </Group>
    </Box>
  );
}

const nobody = "nobody";

function AssignSelect({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { id, assigned_to_user_id: assignee } = conversation;
  const change = useConversationChange(id);
  const select = useRef<HTMLInputElement>(null);
  const team = useTeam().filter((one) => one.disabled_at === null || one.id === assignee);
  useShortcuts({ a: () => openSelect(select.current) });
  return (
    <Select
      ref={select}
      size="xs"
      w={170}
      aria-label={t("inbox.assignee")}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      value={String(assignee ?? nobody)}
      onChange={(chosen) =>
        change.mutate({
          type: "assign",
          userId: chosen === nobody || chosen === null ? null : Number(chosen),
        })
      }
      data={[
        { value: nobody, label: t("inbox.nobody") },
        ...team.map((one) => ({ value: String(one.id), label: one.name })),
      ]}
    />
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
  return (
    <Button
      size="xs"
      variant="default"
      ml="auto"
      leftSection={<Picture size={14} aria-hidden />}
      onClick={toggle}
    >
      {t(resolved ? "inbox.reopen" : "inbox.resolve")}
    </Button>
  );
}
