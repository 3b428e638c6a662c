import { Badge } from "@mantine/core";
import { IconCheck, IconClock, IconMessage, IconUser, type Icon } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ConversationStatus } from "../../../core/model/conversation.ts";

const looks: Record<ConversationStatus, { color: string; icon: Icon }> = {
  active: { color: "ok", icon: IconMessage },
  waiting: { color: "warn", icon: IconClock },
  handed_off: { color: "warn", icon: IconUser },
  resolved: { color: "gray", icon: IconCheck },
};

/** Badge with the status of a conversation. */
export function StatusBadge({ status }: { status: ConversationStatus }) {
  const { t } = useTranslation();
  const { color, icon: Picture } = looks[status];
  return (
    <Badge color={color} leftSection={<Picture size={12} aria-hidden />}>
      {t(`status.${status}`)}
    </Badge>
  );
}
