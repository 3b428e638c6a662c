import { Alert, Button, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { newImportPath } from "../../lib/import-paths.ts";
import { paths } from "../../paths.ts";
import type { Import } from "./api.ts";
import { ErrorsLink } from "./errors-link.tsx";
import { ImportProgress } from "./import-progress.tsx";
import styles from "./imports.module.css";
import { OutcomeRows } from "./outcome-rows.tsx";
import { useFileErrorText } from "./reason-text.ts";
import { UndoButton, UndoneCounts } from "./undo.tsx";
import { useCountText } from "./use-count-text.ts";

interface ResultStepProps {
  one: Import;
  /** Returns to the mapping; null where another mapping would not help. */
  onRemap: (() => void) | null;
}

/** The end of an import: counts beside the plan, the rows, errors, and the undo. */
export function ResultStep({ one, onRemap }: ResultStepProps) {
  const { t } = useTranslation();
  const hasOutcome = one.started_at !== null;
  return (
    <Stack gap="lg">
      <Trouble one={one} />
      {one.state === "undoing" && (
        <Stack maw={720}>
          <ImportProgress
            id={one.id}
            done={one.counts.done.undone + one.counts.done.kept}
            total={changedRows(one)}
            isRunning
            label={t("imports.states.undoing")}
            text={t("imports.run.leave")}
          />
        </Stack>
      )}
      {hasOutcome && <OutcomeTable one={one} />}
      {one.state === "undone" && <UndoneCounts one={one} />}
      <Group gap="xs">
        {onRemap !== null && <Button onClick={onRemap}>{t("imports.check.remap")}</Button>}
        {one.kind === "contacts" ? (
          <Button variant="default" component={Link} to={paths.contacts}>
            {t("imports.done.to_contacts")}
          </Button>
        ) : (
          <Button variant="default" component={Link} to={`${paths.inbox}?view=all`}>
            {t("imports.done.to_chat")}
          </Button>
        )}
        <Button variant="default" component={Link} to={newImportPath(one.kind)}>
          {t("imports.done.again")}
        </Button>
        {hasErrors(one) && <ErrorsLink id={one.id} />}
        {one.can_undo && <UndoButton one={one} />}
      </Group>
      {hasOutcome && one.state !== "undoing" && <OutcomeRows one={one} />}
    </Stack>
  );
}

/** Rows that an undo goes through. */
function changedRows({ counts: { done } }: Import): number {
  return Math.max(done.created + done.updated, done.undone + done.kept);
}

function hasErrors({ counts: { done } }: Import): boolean {
  return done.skipped + done.conflicts + done.failed > 0;
}

/** Reason why the import ended early, and what was kept. */
function Trouble({ one: { state, error, started_at: startedAt } }: { one: Import }) {
  const { t } = useTranslation();
  const fileErrorText = useFileErrorText();
  if (state !== "failed" && state !== "cancelled") return null;
  const kept = t(startedAt === null ? "imports.done.nothing" : "imports.done.kept");
  if (error === null) {
    return <Text c="dimmed">{kept}</Text>;
  }
  return (
    <Alert
      maw={720}
      color={state === "failed" ? "bad" : "gray"}
      icon={<IconAlertCircle size={18} aria-hidden />}
    >
      <Text size="sm">{fileErrorText(error)}</Text>
      <Text size="sm">{kept}</Text>
    </Alert>
  );
}

const lines = [
  ["create", "created"],
  ["update", "updated"],
  ["unchanged", "unchanged"],
  ["skip", "skipped"],
  ["conflict", "conflicts"],
] as const;

/** Plan and outcome beside each other. A count that differs from the plan is marked. */
function OutcomeTable({ one: { counts, kind } }: { one: Import }) {
  const { t } = useTranslation();
  const number = useCountText();
  const { planned, done } = counts;
  const shown = lines.filter(
    ([plan, outcome]) => planned[plan] > 0 || done[outcome] > 0 || plan === "create",
  );
  return (
    <Paper withBorder maw={720} className={styles["outcome"] ?? ""}>
      <Table aria-label={t("imports.done.table")}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              {t(kind === "chat" ? "imports.done.messages" : "imports.done.rows")}
            </Table.Th>
            <Table.Th ta="end">{t("imports.done.planned")}</Table.Th>
            <Table.Th ta="end">{t("imports.done.outcome")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="tabular">
          {shown.map(([plan, outcome]) => (
            <Table.Tr key={plan} data-differs={planned[plan] !== done[outcome] || undefined}>
              <Table.Th scope="row" fw={400}>
                {t(`imports.done.line.${plan}`)}
              </Table.Th>
              <Table.Td ta="end">{number(planned[plan])}</Table.Td>
              <Table.Td ta="end">{number(done[outcome])}</Table.Td>
            </Table.Tr>
          ))}
          {done.failed > 0 && (
            <Table.Tr data-differs>
              <Table.Th scope="row" fw={400}>
                {t("imports.done.line.failed")}
              </Table.Th>
              <Table.Td ta="end">0</Table.Td>
              <Table.Td ta="end">{number(done.failed)}</Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
