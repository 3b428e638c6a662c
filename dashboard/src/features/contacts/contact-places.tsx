import { Anchor, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { Chip } from "../../components/chip.tsx";
import { Moment } from "../../components/moment.tsx";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import type { ContactCard } from "../../lib/contact.ts";
import { useStageHue } from "../../lib/pipelines.ts";
import { conversationPath } from "../../paths.ts";

/** Section of a contact's page. The text `empty` appears in a section without content. */
export function Part({
  title,
  empty,
  children,
}: {
  title: string;
  empty: string | null;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="xs">
        <Title order={2}>{title}</Title>
        {empty === null ? (
          children
        ) : (
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** The contact's conversations, each with a link. */
export function ConversationLinks({ card: { conversations } }: { card: ContactCard }) {
  const { t } = useTranslation();
  const empty = conversations.length === 0 ? t("contacts.no_conversations") : null;
  return (
    <Part title={t("contacts.conversations")} empty={empty}>
      {conversations.map(({ id, channel, status, last_message_at }) => (
        <Group key={id} gap="xs">
          <ChannelIcon channel={channel} />
          <Anchor component={Link} to={conversationPath(id)} size="sm">
            {t(`channel.${channel}`)} {id}
          </Anchor>
          <ConversationStatus status={status} />
          <Text size="xs" c="dimmed" ml="auto">
            <Moment at={last_message_at} />
          </Text>
        </Group>
      ))}
    </Part>
  );
}

/** The stages in which the contact is. */
export function StageList({ card: { stages } }: { card: ContactCard }) {
  const { t } = useTranslation();
  const hueOfStage = useStageHue();
  const empty = stages.length === 0 ? t("contacts.no_stages") : null;
  return (
    <Part title={t("contacts.stages")} empty={empty}>
      {stages.map(({ pipeline_id, pipeline_name, stage_id, stage_name, moved_at }) => (
        <Group key={pipeline_id} gap="xs">
          <Text size="sm" dir="auto">
            {pipeline_name}
          </Text>
          <Chip hue={hueOfStage(stage_id)}>{stage_name}</Chip>
          <Text size="xs" c="dimmed" ml="auto">
            <Moment at={moved_at} />
          </Text>
        </Group>
      ))}
    </Part>
  );
}
