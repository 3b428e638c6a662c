import { Alert, Group, Text } from "@mantine/core";
import { IconUserShare } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { clockDuration, useNow } from "../../lib/time.ts";
import { useColleagueName } from "../../lib/team.ts";
import type { Conversation } from "./api.ts";

/** Why a person is wanted here, who handed it over, and since when. */
export function HandoffBanner({ conversation: { handoff } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const name = useColleagueName(handoff?.actor_user_id ?? null);
  if (handoff === null) return null;
  const who = name ?? t(`source.${handoff.source}`);
  return (
    <Alert color="violet" icon={<IconUserShare aria-hidden />} radius={0} py="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" dir="auto">
          {handoff.reason === null
            ? t("inbox.handed_off", { who })
            : t("inbox.handed_off_because", {
                who,
                reason: reasonText(handoff.reason, t("inbox.human_reply")),
              })}
        </Text>
        <Since at={handoff.at} />
      </Group>
    </Alert>
  );
}

/** The API's own reason is a word for programs. */
function reasonText(reason: string, humanReply: string): string {
  return reason === "human_reply" ? humanReply : reason;
}

function Since({ at }: { at: string }) {
  const { t } = useTranslation();
  const now = useNow(1_000);
  return (
    <Text size="sm" className="tabular">
      {t("inbox.since", { time: clockDuration(now - new Date(at).getTime()) })}
    </Text>
  );
}
