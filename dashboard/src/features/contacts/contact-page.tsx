import { Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { ChannelIcon } from "../../components/channel-icon.tsx";
import { ContactForm } from "../../components/contact-form.tsx";
import { ContactTags } from "../../components/contact-tags.tsx";
import { ContactTimeline } from "../../components/contact-timeline.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { useContact, type ContactCard } from "../../lib/contact.ts";
import { paths } from "../../paths.ts";
import { AppointmentList } from "./appointment-list.tsx";
import { ContactActions } from "./contact-actions.tsx";
import { ConversationLinks, Part, StageList } from "./contact-places.tsx";

/** Page of a contact with all its data and actions. */
export function ContactPage() {
  const { contact: id } = useParams();
  const contact = useContact(Number(id));
  // The key resets forms and dialogs for another contact.
  return <QueryState query={contact}>{(card) => <Loaded key={card.id} card={card} />}</QueryState>;
}

function Loaded({ card }: { card: ContactCard }) {
  const { t } = useTranslation();
  return (
    <Page
      title={card.name}
      parent={{ to: paths.contacts, label: t("contacts.title") }}
      action={<ContactActions card={card} />}
    >
      <Stack gap="md" maw={1100}>
        <Text size="xs" c="dimmed">
          {t("contact.since")} <Moment at={card.created_at} />
        </Text>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Paper withBorder p="md">
            <Stack gap="md">
              <ContactForm card={card} />
              <ContactTags card={card} />
              <Identities card={card} />
            </Stack>
          </Paper>
          <Stack gap="md">
            <ConversationLinks card={card} />
            <StageList card={card} />
            <AppointmentList contactId={card.id} />
          </Stack>
        </SimpleGrid>
        <Part title={t("timeline.title")} empty={null}>
          <ContactTimeline contactId={card.id} />
        </Part>
      </Stack>
    </Page>
  );
}

function Identities({ card: { identities } }: { card: ContactCard }) {
  const { t } = useTranslation();
  if (identities.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>{t("contacts.known_as")}</Title>
      {identities.map(({ id, channel, external_id }) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <ChannelIcon channel={channel} />
          <Text size="sm" ff="monospace">
            {external_id}
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
