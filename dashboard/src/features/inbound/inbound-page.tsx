import { Button, Group, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { inboundVerdicts } from "../../../../core/model/inbound-log.ts";
import { RowLink } from "../../components/wide-table.tsx";
import { CopyText } from "../../components/copy-text.tsx";
import { EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { EndpointStatus, VerdictStatus } from "../../components/states.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { useSession } from "../../lib/session.ts";
import { inboundEndpointPath } from "../../paths.ts";
import { AddModal } from "./add-modal.tsx";
import { endpointsQuery, type Endpoint } from "./api.ts";

/** Page of the URLs that other systems call: inbound endpoints and voice integrations. */
export function InboundPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [adding, add] = useDisclosure(false);
  const button = role === "admin" && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
      {t("inbound.add")}
    </Button>
  );
  return (
    <Page title={t("inbound.title")} action={button}>
      <Endpoints onAdd={role === "admin" ? add.open : null} />
      {adding && <AddModal onClose={add.close} />}
    </Page>
  );
}

/** List of endpoints. `onAdd` is null for members without the right to add. */
function Endpoints({ onAdd }: { onAdd: (() => void) | null }) {
  const { t } = useTranslation();
  const endpoints = useQuery(endpointsQuery);
  return (
    <QueryState query={endpoints}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyList
            title={t("inbound.empty")}
            text={t("inbound.empty_text")}
            first={t("inbound.add_first")}
            hint={t("inbound.add_hint")}
            icon={IconDownload}
            onFirst={onAdd}
          />
        ) : (
          <EndpointTable rows={rows} />
        )
      }
    </QueryState>
  );
}

function EndpointTable({ rows }: { rows: Endpoint[] }) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("inbound.title")}
      minWidth={960}
      heads={[
        t("common.name"),
        "URL",
        t("inbound.last_request"),
        t("inbound.last_day"),
        t("people.state"),
      ]}
    >
      {rows.map((row) => (
        <EndpointRow key={row.id} row={row} />
      ))}
    </WideTable>
  );
}

function EndpointRow({ row }: { row: Endpoint }) {
  const { t } = useTranslation();
  return (
    <Table.Tr>
      <Table.Td maw={240}>
        <RowLink to={inboundEndpointPath(row.id)}>
          <Text span inherit truncate display="block">
            {row.name}
          </Text>
        </RowLink>
        <Text size="xs" c="dimmed">
          {t(`inbound.kind.${row.kind}`)}
        </Text>
      </Table.Td>
      <Table.Td maw={360}>
        {row.url === null ? (
          <Text size="sm" c="dimmed">
            {t("inbound.url_for_admins")}
          </Text>
        ) : (
          <CopyText value={row.url} label={`URL: ${row.name}`} />
        )}
      </Table.Td>
      <Table.Td>
        {row.last_request_at === null ? (
          <Text size="sm" c="dimmed">
            {t("inbound.never")}
          </Text>
        ) : (
          <Moment at={row.last_request_at} />
        )}
      </Table.Td>
      <Table.Td>
        <Counts counts={row.last_24_hours} />
      </Table.Td>
      <Table.Td>
        <EndpointStatus enabled={row.enabled} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Number of calls of each verdict within a day; a dash where none arrived. */
function Counts({ counts }: { counts: Endpoint["last_24_hours"] }) {
  const came = inboundVerdicts.filter((verdict) => counts[verdict] > 0);
  if (came.length === 0) return "–";
  return (
    <Group gap={4}>
      {came.map((verdict) => (
        <VerdictStatus key={verdict} verdict={verdict} count={counts[verdict]} />
      ))}
    </Group>
  );
}
