import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { conversationPath } from "../../paths.ts";
import styles from "./agent.module.css";
import { ItemModal } from "../../components/agent/item-modal.tsx";
import { gapsQuery, useDismissGap, type Gap } from "../../lib/knowledge.ts";

/**
 * Questions of customers without an answer. Nothing where there are none. The dialog of an answer
 * outlives its row, which goes when the question is asked again or a colleague dismisses it.
 */
export function Gaps() {
  const [answering, setAnswering] = useState<Gap | null>(null);
  return (
    <>
      <GapList onAnswer={setAnswering} />
      {answering !== null && (
        <ItemModal
          item={null}
          draft={{
            question: answering.question,
            answer: answering.draft ?? "",
            language: answering.language,
            gapId: answering.id,
          }}
          onClose={() => setAnswering(null)}
        />
      )}
    </>
  );
}

type OnAnswer = (gap: Gap) => void;

function GapList({ onAnswer }: { onAnswer: OnAnswer }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const page = useQuery(gapsQuery(offset)).data;
  if (page === undefined || page.meta.total === 0) return null;
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("knowledge.gaps")}>
      <Stack gap="xs">
        <Title order={2}>{t("knowledge.gaps")}</Title>
        <ul className={styles["gaps"]}>
          {page.data.map((gap) => (
            <GapRow key={gap.id} gap={gap} onAnswer={onAnswer} />
          ))}
        </ul>
        <Pager meta={page.meta} onMove={setOffset} />
      </Stack>
    </Paper>
  );
}

function GapRow({ gap, onAnswer }: { gap: Gap; onAnswer: OnAnswer }) {
  const { t } = useTranslation();
  const dismissal = useDismissGap(gap.id);
  return (
    <li className={styles["gap"]}>
      <div className={styles["asked"]}>
        <Text fw={500} dir="auto">
          {gap.question}
        </Text>
        <Text size="xs" c="dimmed">
          {t("knowledge.times", { count: gap.times })} · <Moment at={gap.created_at} /> ·{" "}
          <Anchor component={Link} to={conversationPath(gap.conversation_id)} size="xs">
            {t("turns.open_conversation")}
          </Anchor>
        </Text>
        {gap.draft !== null && (
          <Text size="sm" c="dimmed" lineClamp={2} dir="auto">
            {t("knowledge.person_answered", { text: gap.draft })}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          aria-label={t("knowledge.dismiss_one", { question: gap.question })}
          onClick={() =>
            dismissal.mutate(undefined, {
              onError: (error) => tellFailure(t("knowledge.not_changed"), error),
            })
          }
        >
          {t("knowledge.dismiss")}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={t("knowledge.answer_one", { question: gap.question })}
          onClick={() => onAnswer(gap)}
        >
          {t("knowledge.answer_this")}
        </Button>
      </Group>
    </li>
  );
}
