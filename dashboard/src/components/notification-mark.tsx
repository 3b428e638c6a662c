import {
  IconCalendarExclamation,
  IconCalendarOff,
  IconCalendarPlus,
  IconKey,
  IconPlugConnectedX,
  IconSparkles,
  IconUser,
  IconWebhook,
  type Icon,
} from "@tabler/icons-react";
import type { NotificationKind } from "../../../core/model/notification.ts";
import type { Hue } from "../lib/hues.ts";
import type { NotificationRow } from "../lib/notifications.ts";
import { Avatar } from "./avatar.tsx";
import styles from "./notification.module.css";

const webhook = { icon: IconWebhook, hue: "rose" } as const;
const person = { icon: IconUser, hue: "slate" } as const;

const looks: Record<NotificationKind, { icon: Icon; hue: Hue }> = {
  delivery_discarded: webhook,
  delivery_exhausted_warning: webhook,
  subscription_disabled: webhook,
  calendar_disconnected: { icon: IconCalendarOff, hue: "amber" },
  appointment_booked: { icon: IconCalendarPlus, hue: "teal" },
  appointment_overlaps: { icon: IconCalendarExclamation, hue: "amber" },
  agent_budget: { icon: IconSparkles, hue: "amber" },
  agent_provider_failing: { icon: IconSparkles, hue: "rose" },
  channel_trouble: { icon: IconPlugConnectedX, hue: "rose" },
  channel_token_expiring: { icon: IconKey, hue: "amber" },
  conversation_handed_off: person,
  handoff_reminder: person,
  handoff_escalation: person,
  message_received: person,
  conversation_assigned: person,
  mentioned: person,
};

/** Picture of a notification: the customer's avatar, or an icon for its kind. */
export function NotificationMark({ row }: { row: NotificationRow }) {
  const { kind, contact_id: id, contact_name: name } = row;
  const { icon: Picture, hue } = looks[kind];
  const isOfAgenda = kind === "appointment_booked" || kind === "appointment_overlaps";
  if (id !== null && name !== null && !isOfAgenda) {
    return <Avatar id={id} name={name} size={28} />;
  }
  return (
    <span className={styles["icon"]} data-hue={hue}>
      <Picture size={16} stroke={1.75} aria-hidden />
    </span>
  );
}
