import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { retentionMs } from "../../../core/model/workflow/retention.ts";
import { useContactTimeline, type TimelineEntry } from "../lib/contact-timeline.ts";
import { QueryState } from "./load-states.tsx";
import { PendingButton } from "./pending-button.tsx";
import { TimelineItem } from "./timeline-item.tsx";

interface ContactTimelineProps {
  contactId: number;
  /** Beside a conversation there is less space: shorter pages and narrower names. */
  compact?: boolean;
}

/** Timeline of a contact, newest first, with the webhook deliveries of each event. */
export function ContactTimeline({ contactId, compact = false }: ContactTimelineProps) {
  const timeline = useContactTimeline(contactId, compact ? 10 : 30);
  return (
    <QueryState query={timeline} rows={3}>
      {({ pages }) => (
        <Entries
          entries={pages.flatMap(({ data }) => data)}
          compact={compact}
          timeline={timeline}
        />
      )}
    </QueryState>
  );
}

interface EntriesProps {
  entries: TimelineEntry[];
  compact: boolean;
  timeline: ReturnType<typeof useContactTimeline>;
}

function Entries({ entries, compact, timeline }: EntriesProps) {
  const { t } = useTranslation();
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = timeline;
  return (
    <Stack gap="sm" align="stretch">
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {t("timeline.empty")}
        </Text>
      )}
      <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: "none" }}>
        {entries.map((entry) => (
          <TimelineItem key={entry.event_id} entry={entry} compact={compact} />
        ))}
      </Stack>
      {hasNextPage ? (
        <PendingButton
          variant="default"
          size="xs"
          pending={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t("timeline.older")}
        </PendingButton>
      ) : (
        entries.length > 0 && (
          <Text size="xs" c="dimmed">
            {t("timeline.kept", { days: retentionMs.events / 86_400_000 })}
          </Text>
        )
      )}
    </Stack>
  );
}
