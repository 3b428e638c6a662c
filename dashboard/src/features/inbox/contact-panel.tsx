import { Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { ContactForm } from "../../components/contact-form.tsx";
import { ContactTags } from "../../components/contact-tags.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { isGone } from "../../lib/api.ts";
import { contactQuery, type ContactCard } from "../../lib/contact.ts";
import { contactPath, conversationPath } from "../../paths.ts";
import type { Conversation } from "./api.ts";
import { PersonAppointments } from "./person-appointments.tsx";
import { PersonEvents } from "./person-events.tsx";
import { StageSelect } from "./stage-select.tsx";

/** Panel of the contact: data, tags, other conversations and timeline. */
export function ContactPanel({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(contactQuery(conversation.contact_id));
  if (isGone(error) || (data === undefined && error !== null))
    return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  return (
    <Stack p="md" gap="lg">
      <StageSelect conversation={conversation} />
      <ContactForm key={data.id} card={data} />
      <ContactTags card={data} />
      <Anchor component={Link} to={contactPath(data.id)} size="sm">
        {t("contact.open")}
      </Anchor>
      <PersonAppointments card={data} />
      <OtherConversations card={data} openId={conversation.id} />
      <PersonEvents key={data.id} contactId={data.id} />
    </Stack>
  );
}

function OtherConversations({ card, openId }: { card: ContactCard; openId: number }) {
  const { t } = useTranslation();
  const others = card.conversations.filter(({ id }) => id !== openId);
  return (
    <Stack gap="xs">
      <Text size="xs" c="dimmed">
        {t("contact.since")} <Moment at={card.created_at} />
      </Text>
      {others.length > 0 && <Title order={2}>{t("contact.others")}</Title>}
      {others.map(({ id, channel, status, last_message_at }) => (
        <Box key={id} component={Link} to={conversationPath(id)} c="inherit" td="none">
          <Group gap="xs">
            <ChannelIcon channel={channel} />
            <StatusBadge status={status} />
            <Text size="xs" c="dimmed">
              <Moment at={last_message_at} />
            </Text>
          </Group>
        </Box>
      ))}
    </Stack>
  );
}
