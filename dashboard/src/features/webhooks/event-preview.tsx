import { Badge, Code, Group, Paper, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toRestChannel, type EventChannel } from "../../../../core/model/channels.ts";
import { eventCatalogue, type EventType } from "../../../../core/model/events.ts";
import { matchesSubscription } from "../../../../core/model/subscription.ts";
import { CopyAction } from "../../components/copy-text.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { samplesQuery, type SignedSample, type Subscription } from "./api.ts";
import { EventBody } from "./event-body.tsx";

interface EventPreviewProps {
  subscription: Subscription;
  /** As chosen now, saved or not. */
  events: string[];
  channels: EventChannel[] | null;
}

/** What the subscription would be posted of the chosen events, signed with its secret. */
export function EventPreview({ subscription, events, channels }: EventPreviewProps) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(samplesQuery(subscription.id));
  const [wanted, setWanted] = useState<string | null>(null);
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows />;
  const chosen = data.filter(({ event_type: type }) => isChosen(events, type));
  const sample = chosen.find(({ event_type }) => event_type === wanted) ?? chosen[0];
  return (
    <Paper component="section" aria-label={t("preview.title")} withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("preview.title")}</Title>
        <Select
          label={t("preview.of", { count: chosen.length })}
          allowDeselect={false}
          value={sample?.event_type ?? null}
          onChange={setWanted}
          data={chosen.map(({ event_type }) => event_type)}
        />
        {sample !== undefined && (
          <Sample sample={sample} url={subscription.url} channels={channels} />
        )}
      </Stack>
    </Paper>
  );
}

/** Send test goes to every subscription, whatever it selects. */
function isChosen(events: string[], type: EventType): boolean {
  if (type === "test.ping") return true;
  return matchesSubscription({ events, channels: null }, { type, channel: null });
}

interface SampleProps {
  sample: SignedSample;
  url: string;
  channels: EventChannel[] | null;
}

function Sample({ sample: { event_type, headers, body }, url, channels }: SampleProps) {
  const { t } = useTranslation();
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`POST ${url}`, ...head].join("\n");
  return (
    <>
      <Group gap="xs">
        <OfChannels type={event_type} channels={channels} />
      </Group>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t("deliveries.request_headers")}
        </Text>
        <CopyAction value={lines} label={t("deliveries.request_headers")} />
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {lines}
      </Code>
      <EventBody body={body} />
      <Text size="xs" c="dimmed">
        {t("preview.text")}
      </Text>
    </>
  );
}

/** Of which channels the event is posted. */
function OfChannels({ type, channels }: { type: EventType; channels: EventChannel[] | null }) {
  const { t } = useTranslation();
  if (channels === null || !eventCatalogue[type].channelFiltered) {
    return <Badge color="gray">{t("webhooks.all_channels")}</Badge>;
  }
  return channels.map((channel) => (
    <Badge key={channel} color="accent">
      {t(`channel.${toRestChannel(channel)}`)}
    </Badge>
  ));
}
