import {
  IconAlertCircle,
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  type Icon,
} from "@tabler/icons-react";
import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { MessageStatus } from "../../../../core/model/message.ts";

const looks: Record<MessageStatus, { icon: Icon; color: string }> = {
  received: { icon: IconCheck, color: "dimmed" },
  queued: { icon: IconClock, color: "dimmed" },
  sending: { icon: IconClock, color: "dimmed" },
  sent: { icon: IconCheck, color: "dimmed" },
  delivered: { icon: IconChecks, color: "dimmed" },
  read: { icon: IconChecks, color: "info" },
  failed: { icon: IconAlertCircle, color: "bad" },
  cancelled: { icon: IconBan, color: "dimmed" },
};

/** Icon and word for the status of a message. */
export function MessageStatusIcon({ status }: { status: MessageStatus }) {
  const { t } = useTranslation();
  const { icon: Picture, color } = looks[status];
  return (
    <Group gap={2} c={color}>
      <Picture size={14} aria-hidden />
      <Text size="xs">{t(`message_status.${status}`)}</Text>
    </Group>
  );
}
