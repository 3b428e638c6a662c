import { Button, Group, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { turnWord } from "../../components/agent/turn-words.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { Status } from "../../components/status.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { AgentFrame } from "./agent-frame.tsx";
import { CaseModal } from "./case-modal.tsx";
import { casesQuery, useChangeCases, type AgentCase } from "./cases-api.ts";

const nothing = { id: null, channel: "whatsapp", lines: [] } as const;
const replied = { outcome: "replied", tool: null, item_id: null } as const;

/** Page of the agent's test cases, with the result of each, which arrives while they run. */
export function CasesPage() {
  const { t } = useTranslation();
  const isAdmin = useSession().role === "admin";
  const cases = useQuery(casesQuery);
  const change = useChangeCases();
  const [edited, edit] = useState<Parameters<typeof CaseModal>[0]["of"] | null>(null);
  const rows = cases.data?.data ?? [];
  const begin = () => edit({ ...nothing, lines: [], expected: replied });
  const tell = (error: unknown): void => tellFailure(t("cases.not_changed"), error);
  return (
    <AgentFrame
      tab={t("cases.title")}
      action={
        isAdmin && (
          <>
            <Button variant="default" onClick={begin}>
              {t("cases.add")}
            </Button>
            <PendingButton
              pending={change.isPending}
              disabled={rows.length === 0}
              onClick={() => change.mutate({ run: true }, { onError: tell })}
            >
              {t("cases.run")}
            </PendingButton>
          </>
        )
      }
    >
      <QueryState query={cases}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t("cases.empty")} text={t("cases.empty_text")} />
          ) : (
            <CaseTable
              rows={data}
              onEdit={isAdmin ? edit : null}
              onDelete={(id) => change.mutate({ remove: id }, { onError: tell })}
            />
          )
        }
      </QueryState>
      {edited !== null && <CaseModal of={edited} onClose={() => edit(null)} />}
    </AgentFrame>
  );
}

interface CaseTableProps {
  rows: AgentCase[];
  /** Null for people who only read. */
  onEdit: ((row: AgentCase) => void) | null;
  onDelete: (id: number) => void;
}

function CaseTable({ rows, onEdit, onDelete }: CaseTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("cases.title")}
      minWidth={720}
      heads={[t("cases.result"), t("cases.lines"), t("cases.expected"), t("cases.ran"), ""]}
    >
      {rows.map((row) => (
        <Table.Tr key={row.id}>
          <Table.Td>
            <CaseStatus row={row} />
          </Table.Td>
          <Table.Td>
            {onEdit === null ? (
              row.lines.join(" / ")
            ) : (
              <RowButton onClick={() => onEdit(row)}>{row.lines.join(" / ")}</RowButton>
            )}
          </Table.Td>
          <Table.Td>
            {[
              row.expected.outcome && t(`turns.outcome.${row.expected.outcome}`),
              row.expected.tool && turnWord("tool", row.expected.tool),
              row.expected.item_id && t("cases.item", { id: row.expected.item_id }),
            ]
              .filter(Boolean)
              .join(" · ")}
          </Table.Td>
          <Table.Td>{row.ran_at !== null && <Moment at={row.ran_at} />}</Table.Td>
          <Table.Td>
            {onEdit !== null && (
              <Button size="compact-sm" variant="default" onClick={() => onDelete(row.id)}>
                {t("cases.remove")}
              </Button>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

/** Result of the last run, with what differed. */
function CaseStatus({ row }: { row: AgentCase }) {
  const { t } = useTranslation();
  if (row.queued) return <Status tone="info">{t("cases.queued")}</Status>;
  if (row.state === "new") return <Status tone="gray">{t("cases.new")}</Status>;
  const tone = row.stale ? "gray" : row.state === "passed" ? "ok" : "bad";
  const differences = row.result?.differences ?? [];
  return (
    <>
      <Group gap="xs">
        <Status tone={tone}>{t(`cases.${row.state}`)}</Status>
        {row.stale && (
          <Text size="xs" c="dimmed">
            {t("cases.stale")}
          </Text>
        )}
      </Group>
      {differences.map((one) => (
        <Text key={one} size="xs" c="dimmed">
          {t(`cases.differs.${one}`)}
        </Text>
      ))}
    </>
  );
}
