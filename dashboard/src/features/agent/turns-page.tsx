import { Button, Group, Select, Table, Text } from "@mantine/core";
import { IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ratingValues } from "../../../../core/model/agent-rating.ts";
import { handoverReasons, turnModes, turnOutcomes } from "../../../../core/model/agent.ts";
import { TurnDrawer } from "../../components/agent/turn-drawer.tsx";
import { TurnStatus } from "../../components/agent/turn-status.tsx";
import { turnWord } from "../../components/agent/turn-words.ts";
import { dayIn } from "../../components/day-field.tsx";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { Moment } from "../../components/moment.tsx";
import { MoveButtons } from "../../components/move-buttons.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { turnsQuery, type Turn, type TurnFilter } from "../../lib/agent-turns.ts";
import { isEmptyLog } from "../../lib/empty-list.ts";
import { useSession } from "../../lib/session.ts";
import { dateText, tookText } from "../../lib/time.ts";
import { beforeIn, useUrlFilters } from "../../lib/url-filters.ts";
import { addDays, momentAt } from "../../lib/zoned-time.ts";
import { casePath, paths } from "../../paths.ts";
import { tellFailure, tellWithActions } from "../../lib/notify.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { useCaseOfTurn } from "./cases-api.ts";
import { AgentFrame } from "./agent-frame.tsx";

/** Page of the agent's turns. The URL keeps the filter and the opened turn. */
export function TurnsPage() {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters(["turn"]);
  const outcome = turnOutcomes.find((one) => one === params.get("outcome"));
  const beforeId = beforeIn(params);
  const { account } = useSession();
  const filter = filterIn(params, account.time_zone);
  const turns = useQuery(turnsQuery(filter, beforeId));
  const opened = Number(params.get("turn"));
  const navigate = useNavigate();
  return (
    <AgentFrame tab={t("turns.title")}>
      <Select
        clearable
        maw={240}
        mb="md"
        aria-label={t("turns.result")}
        placeholder={t("turns.any_outcome")}
        value={outcome ?? null}
        onChange={(value) => set("outcome", value)}
        data={turnOutcomes.map((value) => ({ value, label: t(`turns.outcome.${value}`) }))}
      />
      <Narrowed params={params} onAll={() => void navigate(paths.agentTurns)} />
      <QueryState query={turns}>
        {(page) =>
          isEmptyLog(page, beforeId) ? (
            <NoTurns isNarrowed={Object.keys(filter).length > 0} />
          ) : (
            <>
              <TurnTable
                rows={page.data}
                opened={opened}
                onOpen={(id) => set("turn", String(id))}
              />
              {page.data.length === 0 && <Text>{t("common.empty_page")}</Text>}
              <LogPager
                meta={page.meta}
                beforeId={beforeId}
                onMove={(to) => set("before", to === null ? null : String(to))}
              />
            </>
          )
        }
      </QueryState>
      {opened > 0 && (
        <OpenedTurn
          id={opened}
          rows={turns.data?.data ?? []}
          onMove={(id) => set("turn", String(id), { replace: true })}
          onClose={() => set("turn", null)}
        />
      )}
    </AgentFrame>
  );
}

/** Filter of the list, which links of the reports narrow further than the fields of this page. */
function filterIn(params: URLSearchParams, timeZone: string): TurnFilter {
  const from = dayIn(params, "from");
  const to = dayIn(params, "to");
  const of = <T extends string>(name: string, values: readonly T[]) => {
    const value = values.find((one) => one === params.get(name));
    return value === undefined ? {} : { [name]: value };
  };
  return {
    ...of("outcome", turnOutcomes),
    ...of("reason", handoverReasons),
    ...of("mode", turnModes),
    ...of("rating", ratingValues),
    ...of("reopened", ["true"]),
    ...(from === null ? {} : { since: momentAt({ date: from, minutes: 0 }, timeZone) }),
    ...(to === null ? {} : { until: momentAt({ date: addDays(to, 1), minutes: 0 }, timeZone) }),
  };
}

/** Names the filter that a link of a report set, with a button that shows all turns again. */
function Narrowed({ params, onAll }: { params: URLSearchParams; onAll: () => void }) {
  const { t } = useTranslation();
  const reason = params.get("reason");
  const rating = params.get("rating");
  const from = dayIn(params, "from");
  const to = dayIn(params, "to");
  const form = { day: "numeric", month: "short" } as const;
  const words = [
    ...(from === null || to === null ? [] : [`${dateText(from, form)} – ${dateText(to, form)}`]),
    ...(reason === null ? [] : [turnWord("reason", reason)]),
    ...(rating === "up" ? [t("reports.rated_up")] : []),
    ...(rating === "down" ? [t("reports.rated_down")] : []),
    ...(params.get("reopened") === "true" ? [t("reports.reopened")] : []),
  ];
  if (words.length === 0) return null;
  return (
    <Group gap="xs" mb="md">
      <Text>{words.join(" · ")}</Text>
      <Button variant="subtle" size="xs" onClick={onAll}>
        {t("agent.all_turns")}
      </Button>
    </Group>
  );
}

function NoTurns({ isNarrowed }: { isNarrowed: boolean }) {
  const { t } = useTranslation();
  const words = isNarrowed ? "no_match" : "empty";
  return <Empty title={t(`turns.${words}`)} text={t(`turns.${words}_text`)} />;
}

interface OpenedTurnProps {
  id: number;
  rows: Turn[];
  onMove: (id: number) => void;
  onClose: () => void;
}

/** Drawer of a turn, with its neighbours on the page of the list. */
function OpenedTurn({ id, rows, onMove, onClose }: OpenedTurnProps) {
  const { t } = useTranslation();
  const index = rows.findIndex((row) => row.id === id);
  const at = (place: number): number | null => (index < 0 ? null : (rows[place]?.id ?? null));
  return (
    <TurnDrawer
      of={{ turnId: id }}
      onClose={onClose}
      actions={
        <MoveButtons
          labels={{ previous: t("turns.previous"), next: t("turns.next_one") }}
          previous={at(index - 1)}
          next={at(index + 1)}
          onMove={onMove}
        />
      }
      more={<CaseOfTurn key={id} turnId={id} />}
    />
  );
}

interface TurnTableProps {
  rows: Turn[];
  /** The turn in the drawer; 0 for none. */
  opened: number;
  onOpen: (id: number) => void;
}

/** Table of turns with outcome, reason, engine, effort and time. */
function TurnTable({ rows, opened, onOpen }: TurnTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("turns.title")}
      minWidth={860}
      heads={[
        t("turns.result"),
        t("turns.customer"),
        t("turns.engine_title"),
        { label: t("turns.steps"), isEnd: true },
        { label: t("turns.calls"), isEnd: true },
        { label: t("turns.time"), isEnd: true },
        t("turns.at"),
      ]}
    >
      {rows.map((row) => (
        <Table.Tr key={row.id} aria-current={row.id === opened || undefined}>
          <Table.Td>
            <TurnStatus outcome={row.outcome} />
            {row.reason !== null && (
              <Text size="xs" c="dimmed">
                {turnWord("reason", row.reason)}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <RowButton onClick={() => onOpen(row.id)}>
              {row.contact_name ?? t("turns.erased")}
            </RowButton>
          </Table.Td>
          <Table.Td>{turnWord("engine", row.engine)}</Table.Td>
          <Table.Td ta="end" className="tabular">
            {row.steps}
          </Table.Td>
          <Table.Td ta="end" className="tabular">
            {row.calls}
          </Table.Td>
          <Table.Td ta="end" className="tabular">
            {row.duration_ms === null ? "…" : tookText(row.duration_ms)}
          </Table.Td>
          <Table.Td>
            <Moment at={row.created_at} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

/** Button that makes a test case of a turn, and offers to open the case. */
function CaseOfTurn({ turnId }: { turnId: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const make = useCaseOfTurn(turnId);
  if (useSession().role !== "admin") return null;
  const tell = ({ id }: { id: number }): void =>
    tellWithActions({
      id: "case-made",
      message: t("cases.made"),
      actions: [{ label: t("cases.open"), run: () => void navigate(casePath(id)) }],
    });
  return (
    <PendingButton
      variant="default"
      leftSection={<IconFlask size={15} aria-hidden />}
      pending={make.isPending}
      onClick={() =>
        make.mutate(undefined, {
          onSuccess: tell,
          onError: (error) => tellFailure(t("cases.not_changed"), error),
        })
      }
    >
      {t("cases.make")}
    </PendingButton>
  );
}
