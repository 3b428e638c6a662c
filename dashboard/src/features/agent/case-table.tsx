import { Menu, Stack, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEdit, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { turnWord } from "../../components/agent/turn-words.ts";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { Moment } from "../../components/moment.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Status } from "../../components/status.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useDifferences } from "./case-run.tsx";
import { useChangeCases, type AgentCase } from "./cases-api.ts";

interface CaseTableProps {
  rows: AgentCase[];
  /** Opens the form of a case. Null for members who only read. */
  onOpen: ((id: number) => void) | null;
}

/** Table of test cases with their results. A row opens its form. */
export function CaseTable({ rows, onOpen }: CaseTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("cases.title")}
      minWidth={820}
      heads={[t("cases.lines"), t("cases.result"), t("cases.expected"), t("cases.ran"), ""]}
    >
      {rows.map((row) => (
        <CaseRow key={row.id} row={row} onOpen={onOpen === null ? null : () => onOpen(row.id)} />
      ))}
    </WideTable>
  );
}

function CaseRow({ row, onOpen }: { row: AgentCase; onOpen: (() => void) | null }) {
  const { t } = useTranslation();
  const [deleting, remove] = useDisclosure(false);
  const written = row.lines.join(" / ");
  const lines = (
    <Text span fw={500} lineClamp={2} dir="auto" title={written}>
      {written}
    </Text>
  );
  return (
    <Table.Tr>
      <Table.Td maw={320}>
        {onOpen === null ? lines : <RowButton onClick={onOpen}>{lines}</RowButton>}
      </Table.Td>
      <Table.Td maw={280}>
        <CaseStatus row={row} />
      </Table.Td>
      <Table.Td maw={280}>
        <Expected row={row} />
      </Table.Td>
      <Table.Td>{row.ran_at !== null && <Moment at={row.ran_at} />}</Table.Td>
      <Table.Td ta="end">
        {onOpen !== null && (
          <RowMenu name={written.slice(0, 100)}>
            <Menu.Item leftSection={<IconEdit size={16} aria-hidden />} onClick={onOpen}>
              {t("cases.edit_one")}
            </Menu.Item>
            <Menu.Item
              color="bad"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={remove.open}
            >
              {t("cases.remove")}
            </Menu.Item>
          </RowMenu>
        )}
        {deleting && <Deletion row={row} onClose={remove.close} />}
      </Table.Td>
    </Table.Tr>
  );
}

/** Outcome, tool and answer that a case expects, each where it has one. */
function Expected({ row: { expected, item_question: question } }: { row: AgentCase }) {
  const { t } = useTranslation();
  const { outcome, tool, item_id: item } = expected;
  const parts = [
    ...(outcome === null ? [] : [t(`turns.outcome.${outcome}`)]),
    ...(tool === null ? [] : [turnWord("tool", tool)]),
    ...(item === null ? [] : [t("cases.cites", { question: question ?? t("cases.gone_item") })]),
  ];
  return (
    <Text span size="sm" lineClamp={3}>
      {parts.join(" · ")}
    </Text>
  );
}

/** Result of the last run, with what differed. */
function CaseStatus({ row }: { row: AgentCase }) {
  const { t } = useTranslation();
  const differencesOf = useDifferences();
  if (row.queued) return <Status tone="info">{t("cases.queued")}</Status>;
  if (row.state === "new") return <Status tone="gray">{t("cases.new")}</Status>;
  const tone = row.state === "passed" ? "ok" : "bad";
  return (
    <Stack gap={2} align="flex-start">
      <Status tone={row.stale ? "gray" : tone}>{t(`cases.${row.state}`)}</Status>
      {[...(row.stale ? [t("cases.stale")] : []), ...differencesOf(row)].map((one) => (
        <Text key={one} size="xs" c="dimmed">
          {one}
        </Text>
      ))}
    </Stack>
  );
}

function Deletion({ row, onClose }: { row: AgentCase; onClose: () => void }) {
  const { t } = useTranslation();
  const change = useChangeCases();
  return (
    <ConfirmModal
      title={t("cases.delete_title")}
      text={t("cases.delete_text", { line: row.lines[0]?.slice(0, 100) })}
      action={t("cases.remove")}
      keep={t("agent.keep")}
      color="bad"
      pending={change.isPending}
      onClose={onClose}
      onConfirm={() =>
        change.mutate(
          { remove: row.id },
          {
            onSuccess: onClose,
            onError: (error) => tellFailure(t("cases.not_changed"), error),
          },
        )
      }
    />
  );
}
