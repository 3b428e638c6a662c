import { Alert, Text } from "@mantine/core";
import { IconUserCheck, IconUserShare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { humanReply } from "../../../../core/model/conversation.ts";
import { reasonText } from "../../lib/error-text.ts";
import { useColleagueName } from "../../lib/team.ts";
import type { Conversation } from "./api.ts";

/**
 * Banner with the reason of a handoff and its author. After an answer it is gray, and it disappears
 * where the reason is missing or was a person's reply.
 */
export function HandoffBanner({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const { handoff, answered_by_user_id: answeredBy } = conversation;
  const name = useColleagueName(handoff?.actor_user_id ?? null);
  if (handoff === null) return null;
  const { reason, source } = handoff;
  const answered = answeredBy !== null;
  if (answered && (reason === null || reason === humanReply)) return null;
  const who = name ?? t(`source.${source}`);
  return (
    <Alert
      color={answered ? "gray" : "warn"}
      icon={answered ? <IconUserCheck aria-hidden /> : <IconUserShare aria-hidden />}
      radius={0}
      py="xs"
    >
      <Text size="sm" dir="auto">
        {reason === null
          ? t("inbox.handed_off", { who })
          : t("inbox.handed_off_because", { who, reason: reasonText(reason) })}
      </Text>
    </Alert>
  );
}
