import { Stack, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { TurnFigures } from "../../components/agent/turn-figures.tsx";
import { TurnTrace } from "../../components/agent/turn-trace.tsx";
import { turnWord } from "../../components/agent/turn-words.ts";
import { KnowledgeHits } from "./knowledge-hits.tsx";
import type { TrialAnswer } from "./playground-api.ts";
import styles from "./playground.module.css";

/** All that led to an answer: figures, steps, calls, checks and knowledge with its scores. */
export function PlaygroundTrace({ answer }: { answer: TrialAnswer | null }) {
  const { t } = useTranslation();
  if (answer === null) return <Text c="dimmed">{t("playground.no_answer")}</Text>;
  const { outcome, reason, note, knowledge } = answer;
  return (
    <Stack gap="md">
      <div>
        <Title order={2}>{t(`turns.outcome.${outcome}`)}</Title>
        {reason !== null && <Text c="dimmed">{turnWord("reason", reason)}</Text>}
      </div>
      <TurnFigures turn={answer} />
      <TurnTrace turn={answer} />
      {knowledge.length > 0 && (
        <section aria-label={t("playground.knowledge")}>
          <Title order={3} mb="xs">
            {t("playground.knowledge")}
          </Title>
          <KnowledgeHits hits={knowledge} />
        </section>
      )}
      {note !== null && (
        <section aria-label={t("playground.note")}>
          <Title order={3} mb="xs">
            {t("playground.note")}
          </Title>
          <p className={styles["note"]} dir="auto">
            {note}
          </p>
        </section>
      )}
    </Stack>
  );
}
