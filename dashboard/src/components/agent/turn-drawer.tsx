import { Button, CloseButton, Group, Stack, Text, Title } from "@mantine/core";
import { IconExternalLink, IconMessage } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { turnQuery, type TurnDetail, type TurnKey } from "../../lib/agent-turns.ts";
import { conversationPath, messagePath } from "../../paths.ts";
import { SideFrame } from "../dialog.tsx";
import { QueryState } from "../load-states.tsx";
import { Moment } from "../moment.tsx";
import { RatingList } from "./rating-list.tsx";
import { TurnFigures } from "./turn-figures.tsx";
import { TurnStatus } from "./turn-status.tsx";
import { TurnTrace } from "./turn-trace.tsx";
import { turnWord } from "./turn-words.ts";
import styles from "./turn.module.css";

interface TurnDrawerProps {
  of: TurnKey;
  /** Buttons beside Close, such as those along a list. */
  actions?: ReactNode;
  /** Buttons beside "Open the conversation". */
  more?: ReactNode;
  onClose: () => void;
}

/** Drawer that shows why the agent answered as it did: burst, steps, calls, checks and cost. */
export function TurnDrawer({ of, actions, more, onClose }: TurnDrawerProps) {
  const { t } = useTranslation();
  const query = useQuery(turnQuery(of));
  const turn = query.data ?? null;
  return (
    <SideFrame
      label={t("turns.why")}
      onClose={onClose}
      head={
        <>
          <Group gap="4px 10px" miw={0}>
            <Title order={2}>{t("turns.why")}</Title>
            {turn !== null && <TurnStatus outcome={turn.outcome} />}
          </Group>
          <Group gap={2} wrap="nowrap" ml="auto">
            {actions}
            <CloseButton aria-label={t("common.close")} onClick={onClose} />
          </Group>
        </>
      }
    >
      <QueryState query={query}>
        {(found) =>
          found === null ? (
            <Text c="dimmed">{t("turns.no_trace")}</Text>
          ) : (
            <Details key={found.id} turn={found} more={more} />
          )
        }
      </QueryState>
    </SideFrame>
  );
}

interface DetailsProps {
  turn: TurnDetail;
  more: ReactNode;
}

function Details({ turn, more }: DetailsProps) {
  const { t } = useTranslation();
  const { reason, message_id: messageId } = turn;
  return (
    <Stack gap="md">
      {reason !== null && <Text>{turnWord("reason", reason)}</Text>}
      <TurnFigures
        turn={turn}
        more={[
          [t("turns.settings"), turn.settings_number],
          [t("turns.at"), <Moment key="at" at={turn.created_at} />],
        ]}
      />
      <Links turn={turn} more={more} />
      <section aria-label={t("turns.burst")}>
        <Title order={3} mb="xs">
          {t("turns.burst")}
        </Title>
        {turn.burst.map(({ message_id: id, text }) => (
          <div key={id} className={styles["bubble"]} dir="auto">
            {text}
          </div>
        ))}
        {turn.burst.length === 0 && <Text c="dimmed">{t("turns.no_burst")}</Text>}
      </section>
      <TurnTrace turn={turn} />
      {messageId !== null && (
        <RatingList message={{ id: messageId, conversation_id: turn.conversation_id }} />
      )}
    </Stack>
  );
}

function Links({ turn, more }: DetailsProps) {
  const { t } = useTranslation();
  const { conversation_id: conversation, message_id: message, run_url: run } = turn;
  return (
    <Group gap="xs">
      <Button
        component={Link}
        to={message === null ? conversationPath(conversation) : messagePath(conversation, message)}
        variant="default"
        leftSection={<IconMessage size={15} aria-hidden />}
      >
        {t("turns.open_conversation")}
      </Button>
      {run !== null && (
        <Button
          component="a"
          href={run}
          target="_blank"
          rel="noreferrer"
          variant="subtle"
          color="gray"
          rightSection={<IconExternalLink size={14} aria-hidden />}
        >
          {t("deliveries.temporal")}
        </Button>
      )}
      {more}
    </Group>
  );
}
