import {
  Anchor,
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { turnOutcomes } from "../../../../core/model/agent.ts";
import { TurnStatus } from "../../components/agent/turn-status.tsx";
import { turnWord } from "../../components/agent/turn-words.ts";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { turnsQuery, type Turn } from "../../lib/agent-turns.ts";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { agentQuery, providersQuery, useChangeAgent, type Agent } from "./api.ts";
import styles from "./agent.module.css";

/** Turns that the overview counts. */
const newest = 100;

/** First page of the agent: its switch, its engine, and the outcomes of its newest turns. */
export function OverviewPage() {
  const { t } = useTranslation();
  const agent = useQuery(agentQuery);
  const turns = useQuery(turnsQuery({}, null, newest));
  return (
    <AgentFrame tab={t("agent.overview")}>
      <Stack gap="lg" maw={960}>
        <QueryState query={agent} rows={2}>
          {(loaded) => (
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <SwitchCard agent={loaded} />
              <EngineCard agent={loaded} />
            </SimpleGrid>
          )}
        </QueryState>
        <QueryState query={turns} rows={4}>
          {({ data }) => <Outcomes turns={data} />}
        </QueryState>
      </Stack>
    </AgentFrame>
  );
}

function SwitchCard({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const change = useChangeAgent();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.answers")}</Title>
        <Switch
          label={t("agent.switch")}
          description={t(role === "admin" ? "agent.switch_text" : "agent.switch_admins")}
          checked={agent.enabled}
          disabled={role !== "admin" || change.isPending}
          onChange={({ currentTarget }) =>
            change.mutate(
              { patch: { enabled: currentTarget.checked } },
              { onError: (error) => tellFailure(t("agent.not_switched"), error) },
            )
          }
        />
        {agent.differs && (
          <Text size="sm">
            {t("agent.draft_waits")}{" "}
            <Anchor component={Link} to={paths.agentSetup} underline="always">
              {t("agent.to_setup")}
            </Anchor>
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

/** The engine that serves the next turn. Only admins may see which provider it is. */
function EngineCard({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const providers = useQuery({ ...providersQuery, enabled: role === "admin" });
  const [first] = providers.data ?? [];
  const hasProvider = agent.providers > 0;
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("turns.engine_title")}</Title>
        <Text fw={500}>
          {!hasProvider && turnWord("engine", "basic")}
          {hasProvider &&
            (first === undefined
              ? t("agent.a_provider")
              : `${turnWord("engine", first.kind)}, ${first.model}`)}
        </Text>
        <Text size="sm" c="dimmed">
          {t(hasProvider ? "agent.provider_text" : "agent.basic_text")}
        </Text>
        <Text size="sm" c="dimmed">
          {t("agent.knows", { count: agent.knowledge_items })}
        </Text>
      </Stack>
    </Paper>
  );
}

/** Outcomes of the newest turns, each a link to these turns, and the five newest ones. */
function Outcomes({ turns }: { turns: Turn[] }) {
  const { t } = useTranslation();
  if (turns.length === 0) {
    return (
      <Paper withBorder p="lg">
        <Title order={2}>{t("turns.empty")}</Title>
        <Text c="dimmed">{t("turns.empty_text")}</Text>
      </Paper>
    );
  }
  return (
    <Paper withBorder p="lg">
      <Group justify="space-between" mb="md">
        <Title order={2}>{t("agent.last_turns", { count: turns.length })}</Title>
        <Button component={Link} to={paths.agentTurns} variant="default" size="xs">
          {t("agent.all_turns")}
        </Button>
      </Group>
      <ul className={styles["outcomes"]}>
        {turnOutcomes.map((outcome) => (
          <li key={outcome}>
            <Link to={`${paths.agentTurns}?outcome=${outcome}`} className={styles["outcome"]}>
              <b className="tabular">{turns.filter((turn) => turn.outcome === outcome).length}</b>
              <TurnStatus outcome={outcome} />
            </Link>
          </li>
        ))}
      </ul>
      <ul className={styles["newest"]} aria-label={t("agent.newest")}>
        {turns.slice(0, 5).map((turn) => (
          <li key={turn.id}>
            <Link to={`${paths.agentTurns}?turn=${turn.id}`} className={styles["turn"]}>
              <TurnStatus outcome={turn.outcome} />
              <span className={styles["reason"]}>
                {turn.reason === null ? "" : turnWord("reason", turn.reason)}
              </span>
              <Moment at={turn.created_at} />
            </Link>
          </li>
        ))}
      </ul>
    </Paper>
  );
}
