import { Button, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Pager } from "../../components/pager.tsx";
import { Status } from "../../components/status.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useColleagueName } from "../../lib/team.ts";
import { useChangeAgent, versionsQuery, type Agent, type Version } from "./api.ts";

/** Section with the published versions. Restoring one puts its settings into the draft. */
export function Versions({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const page = useQuery(versionsQuery(offset));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <Title order={2}>{t("agent.versions")}</Title>
        <QueryState query={page} rows={2}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Text c="dimmed">{t("agent.no_versions")}</Text>
            ) : (
              <>
                <WideTable
                  label={t("agent.versions")}
                  minWidth={480}
                  heads={[
                    t("turns.settings"),
                    t("agent.published_by"),
                    t("agent.published_at"),
                    "",
                  ]}
                >
                  {data.map((row) => (
                    <VersionRow key={row.id} row={row} agent={agent} />
                  ))}
                </WideTable>
                <Pager meta={meta} onMove={setOffset} />
              </>
            )
          }
        </QueryState>
      </Stack>
    </Paper>
  );
}

function VersionRow({ row, agent }: { row: Version; agent: Agent }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const who = useColleagueName(row.published_by_user_id);
  const change = useChangeAgent();
  const { number } = row;
  const isLive = number === agent.published_number;
  return (
    <Table.Tr>
      <Table.Td>
        <Text span fw={500} className="tabular" mr={8}>
          {number}
        </Text>
        {isLive && <Status tone="ok">{t("agent.live")}</Status>}
      </Table.Td>
      <Table.Td>{who ?? t("sender.system")}</Table.Td>
      <Table.Td>
        <Moment at={row.created_at} />
      </Table.Td>
      <Table.Td ta="end">
        {role === "admin" && (
          <Button
            variant="default"
            size="xs"
            disabled={change.isPending}
            aria-label={t("agent.restore_version", { number })}
            onClick={() =>
              change.mutate(
                { restore: row.id, version: agent.version },
                {
                  onSuccess: () => tellDone(t("agent.restored", { number })),
                  onError: (error) => tellFailure(t("agent.not_restored"), error),
                },
              )
            }
          >
            {t("agent.restore")}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
