import { Anchor, Box, Group, Text } from "@mantine/core";
import {
  IconCalendarCancel,
  IconCalendarPlus,
  IconCalendarTime,
  IconLayoutKanban,
  IconMessage,
  IconMessageCheck,
  IconMessageForward,
  IconMessagePlus,
  IconMessages,
  IconRobot,
  IconRobotOff,
  IconUserEdit,
  IconUserPlus,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { EventType } from "../../../core/model/events.ts";
import type { TimelineEntry } from "../lib/contact-timeline.ts";
import { reasonText } from "../lib/error-text.ts";
import { useSession } from "../lib/session.ts";
import { dayAndTime } from "../lib/time.ts";
import { conversationPath, deliveryPath } from "../paths.ts";
import { Moment } from "./moment.tsx";
import { DeliveryBadge } from "./state-badge.tsx";

const icons: Record<EventType, Icon> = {
  "message.received": IconMessage,
  "message.sent": IconMessageForward,
  "conversation.created": IconMessagePlus,
  "conversation.updated": IconMessages,
  "conversation.closed": IconMessageCheck,
  "conversation.bot.enabled": IconRobot,
  "conversation.bot.disabled": IconRobotOff,
  "conversation.stage_changed": IconLayoutKanban,
  "contact.created": IconUserPlus,
  "contact.updated": IconUserEdit,
  "appointment.created": IconCalendarPlus,
  "appointment.rescheduled": IconCalendarTime,
  "appointment.cancelled": IconCalendarCancel,
  "test.ping": IconWebhook,
};

/** One event of the timeline: title, details, time and the states of its deliveries. */
export function TimelineItem({ entry, compact }: { entry: TimelineEntry; compact: boolean }) {
  const { t } = useTranslation();
  const details = useDetails(entry);
  const Picture = icons[entry.event_type];
  const title = t(`timeline.event.${entry.event_type}`);
  return (
    <Group component="li" gap="xs" wrap="nowrap" align="flex-start">
      <Picture size={16} stroke={1.6} aria-hidden style={{ flexShrink: 0, marginTop: 3 }} />
      <Box miw={0} flex={1}>
        <Group gap="xs" justify="space-between" wrap="nowrap" align="baseline">
          <Text size="sm" fw={500}>
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
            <DeliveryBadge state={state} />
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
  switch (type) {
    case "message.received":
      return facts.text ?? null;
    case "conversation.bot.disabled":
      return facts.text === undefined || facts.text === null ? null : reasonText(facts.text);
    case "message.sent": {
      const { sender_type: sender, text } = facts;
      return sender === undefined ? null : `${t(`sender.${sender}`)}: ${text ?? ""}`;
    }
    case "conversation.updated": {
      const { previous_status: before, status } = facts;
      if (before === undefined || status === undefined) return null;
      return `${t(`status.${before}`)} → ${t(`status.${status}`)}`;
    }
    case "conversation.stage_changed": {
      const { pipeline_name: pipeline, previous_stage_name: before, stage_name: stage } = facts;
      if (pipeline === undefined || stage === undefined) return null;
      return `${pipeline}: ${[before, stage].filter((one) => one).join(" → ")}`;
    }
    case "contact.created":
      return facts.source === undefined
        ? null
        : t("timeline.from", { who: t(`source.${facts.source}`) });
    case "contact.updated":
      return (facts.changed_fields ?? []).map((field) => t(`timeline.field.${field}`)).join(", ");
    case "appointment.created":
    case "appointment.rescheduled":
    case "appointment.cancelled": {
      const { title, start_time: at, resource_name: resource } = facts;
      if (title === undefined || at === undefined || resource === undefined) return null;
      return `${title} · ${dayAndTime(at, account.time_zone)} · ${resource}`;
    }
    case "conversation.created":
    case "conversation.closed":
    case "conversation.bot.enabled":
    case "test.ping":
      return null;
  }
}
