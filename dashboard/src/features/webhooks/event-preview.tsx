import { Accordion, Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { toRestChannel, type EventChannel } from "../../../../core/model/channels.ts";
import { eventTypes, type EventType } from "../../../../core/model/event-types.ts";
import { eventCatalogue } from "../../../../core/model/events.ts";
import { matchesSubscription } from "../../../../core/model/subscription.ts";
import { Chip } from "../../components/chip.tsx";

interface EventPreviewProps {
  /** Patterns of the form, saved or not. */
  events: string[];
  channels: EventChannel[] | null;
  /** Renders the sample of a type once it is opened. */
  children: (type: EventType) => ReactNode;
}

/** The event types that the present choice selects, each with a sample. */
export function EventPreview({ events, channels, children }: EventPreviewProps) {
  const { t } = useTranslation();
  const shown = eventTypes.filter((type) => type === "test.ping" || isChosen(events, type));
  return (
    <Paper component="section" aria-label={t("preview.title")} withBorder p="lg">
      <Title order={2}>{t("preview.title")}</Title>
      <Text size="sm" c="dimmed" role="status">
        {/* `test.ping` is not counted: a test goes to every subscription, whatever it selects. */}
        {t("preview.count", { count: shown.length - 1 })}
      </Text>
      <Accordion mt="xs" order={3} keepMounted={false}>
        {shown.map((type) => (
          <Accordion.Item key={type} value={type}>
            <Accordion.Control>
              <Text span size="sm" ff="monospace">
                {type}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm">
                <Group gap="xs">
                  <OfChannels type={type} channels={channels} />
                </Group>
                {children(type)}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Paper>
  );
}

function isChosen(events: string[], type: EventType): boolean {
  return matchesSubscription({ events, channels: null }, { type, channel: null });
}

/** Channels whose events are posted. */
function OfChannels({ type, channels }: { type: EventType; channels: EventChannel[] | null }) {
  const { t } = useTranslation();
  if (channels === null || !eventCatalogue[type].channelFiltered) {
    return <Chip>{t("webhooks.all_channels")}</Chip>;
  }
  return channels.map((channel) => (
    <Chip key={channel}>{t(`channel.${toRestChannel(channel)}`)}</Chip>
  ));
}
