import { Box, Group, Stack, TagsInput, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { maxTagsPerContact } from "../../../../core/model/contact.ts";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { conversationPath } from "../../paths.ts";
import type { Conversation } from "./api.ts";
import { contactQuery, useReplaceTags, type ContactCard } from "./contact-api.ts";
import { ContactForm } from "./contact-form.tsx";

/** Who the conversation is with: card, tags, other conversations. */
export function ContactPanel({ conversation }: { conversation: Conversation }) {
  const { data, error, refetch } = useQuery(contactQuery(conversation.contact_id));
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  return (
    <Stack p="md" gap="lg">
      <ContactForm key={data.updated_at} card={data} />
      <Tags card={data} />
      <OtherConversations card={data} openId={conversation.id} />
    </Stack>
  );
}

function Tags({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  const replace = useReplaceTags(card.id);
  return (
    <TagsInput
      label={t("contact.tags")}
      placeholder={card.tags.length === 0 ? t("contact.add_tag") : ""}
      maxTags={maxTagsPerContact}
      value={replace.isPending ? replace.variables : card.tags}
      onChange={(tags) =>
        replace.mutate(tags, {
          onError: (error) => tellFailure(t("contact.not_saved"), error),
        })
      }
    />
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
