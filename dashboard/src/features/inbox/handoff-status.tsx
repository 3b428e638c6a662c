import { useTranslation } from "react-i18next";
import type { ConversationStatus as State } from "../../../../core/model/conversation.ts";
import { ConversationStatus } from "../../components/conversation-status.tsx";
import { Status } from "../../components/status.tsx";
import { useColleagueName } from "../../lib/team.ts";
import { clockDuration, useNow } from "../../lib/time.ts";

interface HandoffStatusProps {
  status: State;
  /** Moment of the handoff; null in every other status. */
  handoffAt: string | null;
  answeredByUserId: number | null;
}

/** Status of a conversation. A handoff shows its waiting time, or the person who answered. */
export function HandoffStatus({ status, handoffAt, answeredByUserId }: HandoffStatusProps) {
  if (handoffAt === null) return <ConversationStatus status={status} />;
  if (answeredByUserId !== null) return <Answered userId={answeredByUserId} />;
  return <Waits since={handoffAt} />;
}

function Waits({ since }: { since: string }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  const time = clockDuration(now - new Date(since).getTime());
  return (
    <Status tone="warn" className="tabular">
      {t("inbox.waits_for_person", { time })}
    </Status>
  );
}

function Answered({ userId }: { userId: number }) {
  const { t } = useTranslation();
  const name = useColleagueName(userId);
  return (
    <Status tone="gray">
      {name === null ? t("inbox.answered") : t("inbox.answered_by", { name })}
    </Status>
  );
}
