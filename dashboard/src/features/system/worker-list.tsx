import { Paper, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Status } from "../../components/status.tsx";
import { Moment } from "../../components/moment.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import type { System } from "./api.ts";

/**
 * Table of the worker processes that report, with a badge that says if each one reaches Temporal.
 */
export function WorkerList({ system }: { system: System }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Title order={2}>{t("system.workers")}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t("system.workers_text")}
      </Text>
      {system.workers.length === 0 ? <Nobody seenAt={system.last_worker_seen_at} /> : null}
      {system.workers.length > 0 && (
        <WideTable label={t("system.workers")} minWidth={320}>
          {system.workers.map((worker, index) => (
            <WorkerRow key={`${worker.started_at}.${index}`} worker={worker} number={index + 1} />
          ))}
        </WideTable>
      )}
    </Paper>
  );
}

function Nobody({ seenAt }: { seenAt: string | null }) {
  const { t } = useTranslation();
  if (seenAt === null) return <Text>{t("system.never_seen")}</Text>;
  return (
    <Text>
      {t("system.no_workers")} <Moment at={seenAt} />.
    </Text>
  );
}

function WorkerRow({ worker, number }: { worker: System["workers"][number]; number: number }) {
  const { t } = useTranslation();
  const { temporal_reachable: reaches, version, started_at: startedAt } = worker;
  return (
    <Table.Tr>
      <Table.Td>
        {t("system.worker", { number })}
        <Text size="xs" c="dimmed">
          {version} · {t("system.started")} <Moment at={startedAt} />
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        <Status tone={reaches ? "ok" : "bad"}>
          {t(reaches ? "system.reaches" : "system.lost")}
        </Status>
      </Table.Td>
    </Table.Tr>
  );
}
