import { Anchor, Box, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { eventDisplay } from "../../../core/model/event-types.ts";
import type { TimelineEntry } from "../lib/contact-timeline.ts";
import { reasonText } from "../lib/error-text.ts";
import { languageOf } from "../lib/i18n.ts";
import { useSession } from "../lib/session.ts";
import { dayAndTime } from "../lib/time.ts";
import { conversationPath, deliveryPath } from "../paths.ts";
import { eventIcons } from "./event-icon.ts";
import { Moment } from "./moment.tsx";
import { DeliveryStatus } from "./states.tsx";

/** One event of the timeline: title, details, time and the states of its deliveries. */
export function TimelineItem({ entry, compact }: { entry: TimelineEntry; compact: boolean }) {
  const { i18n } = useTranslation();
  const details = useDetails(entry);
  const { icon, label } = eventDisplay[entry.event_type];
  const Picture = eventIcons[icon];
  const title = label[languageOf(i18n.language)];
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start">
      <Picture size={16} stroke={1.6} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
      <Box miw={0} flex={1}>
        <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
          <Text component="div" size="sm" fw={500}>
            {entry.conversation_id === null || compact ? (
              title
            ) : (
              <Anchor component={Link} to={conversationPath(entry.conversation_id)} c="inherit">
                {title}
              </Anchor>
            )}
          </Text>
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            <Moment at={entry.occurred_at} />
          </Text>
        </Group>
        {details !== null && (
          <Text size="sm" c="dimmed" dir="auto" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
            {details}
          </Text>
        )}
        <Deliveries entry={entry} compact={compact} />
      </Box>
    </Group>
  );
}

/** The deliveries of the event, each with a link to its attempts. */
function Deliveries({
  entry: { deliveries },
  compact,
}: {
  entry: TimelineEntry;
  compact: boolean;
}) {
  return (
    <Group gap="xs" mt={deliveries.length === 0 ? 0 : 4}>
      {deliveries.map(({ id, subscription_id, subscription_name, state }) => (
        <Anchor
          key={id}
          component={Link}
          to={deliveryPath(subscription_id, id)}
          size="xs"
          maw="100%"
          title={subscription_name}
        >
          <Group gap={4} wrap="nowrap">
            <DeliveryStatus state={state} />
            <Text span size="xs" truncate maw={compact ? 120 : 260}>
              {subscription_name}
            </Text>
          </Group>
        </Anchor>
      ))}
    </Group>
  );
}

/** Details of an event in words; null where the type says everything. */
function useDetails({ event_type: type, facts }: TimelineEntry): string | null {
  const { t } = useTranslation();
  const { account } = useSession();
  switch (eventDisplay[type].details) {
    case "text":
      return facts.text ?? null;
    case "reason":
      return facts.text === undefined || facts.text === null ? null : reasonText(facts.text);
    case "message": {
      const { sender_type: sender, text } = facts;
      return sender === undefined ? null : `${t(`sender.${sender}`)}: ${text ?? ""}`;
    }
    case "status": {
      const { previous_status: before, status } = facts;
      if (before === undefined || status === undefined) return null;
      return `${t(`status.${before}`)} → ${t(`status.${status}`)}`;
    }
    case "stage": {
      const { pipeline_name: pipeline, previous_stage_name: before, stage_name: stage } = facts;
      if (pipeline === undefined || stage === undefined) return null;
      return `${pipeline}: ${[before, stage].filter((one) => one).join(" → ")}`;
    }
    case "source":
      return facts.source === undefined
        ? null
        : t("timeline.from", { who: t(`source.${facts.source}`) });
    case "fields":
      return (facts.changed_fields ?? []).map((field) => t(`timeline.field.${field}`)).join(", ");
    case "appointment": {
      const { title, start_time: at, resource_name: resource } = facts;
      if (title === undefined || at === undefined || resource === undefined) return null;
      return `${title} · ${dayAndTime(at, account.time_zone)} · ${resource}`;
    }
    case "none":
      return null;
  }
}
