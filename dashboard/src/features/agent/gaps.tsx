import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
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

/** Questions of customers without an answer. Nothing where there are none. */
export function Gaps() {
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
            <GapRow key={gap.id} gap={gap} />
          ))}
        </ul>
        <Pager meta={page.meta} onMove={setOffset} />
      </Stack>
    </Paper>
  );
}

function GapRow({ gap }: { gap: Gap }) {
  const { t } = useTranslation();
  const [answering, answer] = useDisclosure(false);
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
          onClick={answer.open}
        >
          {t("knowledge.answer_this")}
        </Button>
      </Group>
      {answering && (
        <ItemModal
          item={null}
          draft={{
            question: gap.question,
            answer: gap.draft ?? "",
            language: gap.language,
            gapId: gap.id,
          }}
          onClose={answer.close}
        />
      )}
    </li>
  );
}
