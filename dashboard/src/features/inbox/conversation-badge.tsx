import { Badge } from "@mantine/core";
import { IconUserCheck, IconUserShare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ConversationStatus } from "../../../../core/model/conversation.ts";
import { StatusBadge } from "../../components/status-badge.tsx";
import { useColleagueName } from "../../lib/team.ts";
import { clockDuration, useNow } from "../../lib/time.ts";
import styles from "./inbox.module.css";

interface ConversationBadgeProps {
  status: ConversationStatus;
  /** Moment of the handoff; null in every other status. */
  handoffAt: string | null;
  answeredByUserId: number | null;
}

/** Status of a conversation. A handoff shows its waiting time, or the person who answered. */
export function ConversationBadge({ status, handoffAt, answeredByUserId }: ConversationBadgeProps) {
  if (handoffAt === null) return <StatusBadge status={status} />;
  if (answeredByUserId !== null) return <Answered userId={answeredByUserId} />;
  return <Waits since={handoffAt} />;
}

function Waits({ since }: { since: string }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const time = clockDuration(now - new Date(since).getTime());
  return (
    <Badge
      color="warn"
      className={`${styles["badge"]} tabular`}
      leftSection={<IconUserShare size={12} aria-hidden />}
    >
      {t("inbox.waits_for_person", { time })}
    </Badge>
  );
}

function Answered({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const name = useColleagueName(userId);
  return (
    <Badge
      color="gray"
      className={styles["badge"] ?? ""}
      leftSection={<IconUserCheck size={12} aria-hidden />}
    >
      {name === null ? t("inbox.answered") : t("inbox.answered_by", { name })}
    </Badge>
  );
}
