import { Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { EventType } from "../../../../core/model/event-types.ts";
import type { SignedSampleView } from "../../../../core/model/views/dashboard.ts";
import { CopyAction } from "../../components/copy-text.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { samplesQuery, type Subscription } from "./api.ts";
import { EventBody } from "./event-body.tsx";

interface SignedSampleProps {
  subscription: Subscription;
  type: EventType;
}

/** Sample POST of one event type, signed with the subscription's secret. */
export function SignedSample({ subscription, type }: SignedSampleProps) {
  const query = useQuery(samplesQuery(subscription.id));
  return (
    <QueryState query={query}>
      {(samples) => (
        <Post
          url={subscription.url}
          sample={samples.find(({ event_type }) => event_type === type)}
        />
      )}
    </QueryState>
  );
}

interface PostProps {
  url: string;
  /** Undefined for an event type without a sample. */
  sample: SignedSampleView | undefined;
}

function Post({ url, sample }: PostProps) {
  const { t } = useTranslation();
  if (sample === undefined) return null;
  const head = Object.entries(sample.headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`POST ${url}`, ...head].join("\n");
  return (
    <>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          {t("deliveries.request_headers")}
        </Text>
        <CopyAction value={lines} label={t("deliveries.request_headers")} />
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {lines}
      </Code>
      <EventBody body={sample.body} />
      <Text size="xs" c="dimmed">
        {t("preview.text")}
      </Text>
    </>
  );
}
