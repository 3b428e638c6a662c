import { Text } from "@mantine/core";
import { IconSparkles } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ViewerView } from "../../../../core/model/presence.ts";
import { useTeam } from "../../lib/team.ts";

/** Line that names the colleagues in the conversation; those who type come first. */
export function PresenceLine({ viewers }: { viewers: ViewerView[] }) {
  const { t, i18n } = useTranslation();
  const team = useTeam();
  const typing = viewers.filter(({ state }) => state === "typing");
  const shown = typing.length > 0 ? typing : viewers;
  if (shown.length === 0) return null;
  const names = shown.map(
    ({ user_id }) => team.find(({ id }) => id === user_id)?.name ?? t("answers.somebody"),
  );
  const name = new Intl.ListFormat(i18n.language, { type: "conjunction" }).format(names);
  return (
    <Text size="xs" c="dimmed" dir="auto" mb={4} truncate>
      {t(typing.length > 0 ? "answers.typing" : "answers.looking", { name, count: shown.length })}
    </Text>
  );
}

/** Line that the AI agent is at an answer. */
export function AgentWriting() {
  const { t } = useTranslation();
  return (
    <Text size="xs" c="dimmed" mb={4} role="status">
      <IconSparkles size={12} color="var(--parley-accent-ink)" aria-hidden />{" "}
      {t("inbox.agent_writing")}
    </Text>
  );
}
