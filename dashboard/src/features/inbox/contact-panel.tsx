import { Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { ContactForm } from "../../components/contact-form.tsx";
import { ContactTags } from "../../components/contact-tags.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import { useContact, type ContactCard } from "../../lib/contact.ts";
import { contactPath, conversationPath } from "../../paths.ts";
import type { Conversation } from "./api.ts";
import { PersonAppointments } from "./person-appointments.tsx";
import { PersonEvents } from "./person-events.tsx";
import { StageSelect } from "./stage-select.tsx";

/** Panel of the contact: data, tags, other conversations and timeline. */
export function ContactPanel({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const contact = useContact(conversation.contact_id);
  return (
    <QueryState query={contact} rows={4}>
      {(card) => (
        <Stack p="md" gap="lg">
          <StageSelect conversation={conversation} />
          <ContactForm key={card.id} card={card} />
          <ContactTags card={card} />
          <Anchor component={Link} to={contactPath(card.id)} size="sm">
            {t("contact.open")}
          </Anchor>
          <PersonAppointments card={card} />
          <OtherConversations card={card} openId={conversation.id} />
          <PersonEvents key={card.id} contactId={card.id} />
        </Stack>
      )}
    </QueryState>
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
            <ConversationStatus status={status} />
            <Text size="xs" c="dimmed">
              <Moment at={last_message_at} />
            </Text>
          </Group>
        </Box>
      ))}
    </Stack>
  );
}
