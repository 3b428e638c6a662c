import { Group, Select, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { inboundVerdicts } from "../../../../core/model/inbound-log.ts";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { LogPager } from "../../components/log-pager.tsx";
import { VerdictStatus } from "../../components/states.tsx";
import { RowButton, WideTable } from "../../components/wide-table.tsx";
import { isEmptyLog } from "../../lib/empty-list.ts";
import { beforeIn, useUrlFilters } from "../../lib/url-filters.ts";
import { callsQuery, type Endpoint, type InboundCall, type LogFilter } from "./api.ts";
import { CallDrawer } from "./call-drawer.tsx";
import { useRefusalText } from "./use-refusal-text.ts";

/** The calls to an endpoint within 30 days, newest first. The URL keeps the filter. */
export function CallLog({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const [params, set] = useUrlFilters();
  const [opened, setOpened] = useState<InboundCall | null>(null);
  const verdict = inboundVerdicts.find((one) => one === params.get("verdict"));
  return (
    <>
      <Group mb="md">
        <Select
          clearable
          aria-label={t("inbound.outcome")}
          placeholder={t("inbound.any_outcome")}
          value={verdict ?? null}
          onChange={(value) => set("verdict", value)}
          data={inboundVerdicts.map((value) => ({ value, label: t(`inbound.verdict.${value}`) }))}
        />
      </Group>
      <Rows
        endpoint={endpoint}
        filter={verdict === undefined ? {} : { verdict }}
        beforeId={beforeIn(params)}
        onMove={(beforeId) => set("before", beforeId === null ? null : String(beforeId))}
        onOpen={setOpened}
      />
      {opened !== null && <CallDrawer call={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

interface RowsProps {
  endpoint: Endpoint;
  filter: LogFilter;
  beforeId: number | null;
  onMove: (beforeId: number | null) => void;
  onOpen: (call: InboundCall) => void;
}

function Rows({ endpoint, filter, beforeId, onMove, onOpen }: RowsProps) {
  const { t } = useTranslation();
  const query = callsQuery(endpoint, filter, beforeId);
  const calls = useQuery({ ...query, placeholderData: keepPreviousData });
  const none = filter.verdict === undefined ? "inbound.no_call" : "inbound.no_fitting_call";
  return (
    <QueryState query={calls}>
      {(page) =>
        isEmptyLog(page, beforeId) ? (
          <Empty title={t(none)} text={t("inbound.no_call_text")} />
        ) : (
          <>
            <CallTable calls={page.data} onOpen={onOpen} />
            {page.data.length === 0 && <Text>{t("common.empty_page")}</Text>}
            <LogPager meta={page.meta} beforeId={beforeId} onMove={onMove} />
          </>
        )
      }
    </QueryState>
  );
}

interface CallTableProps extends Pick<RowsProps, "onOpen"> {
  calls: InboundCall[];
}

function CallTable({ calls, onOpen }: CallTableProps) {
  const { t } = useTranslation();
  return (
    <WideTable
      label={t("inbound.calls")}
      minWidth={760}
      heads={[
        t("inbound.outcome"),
        t("inbound.action"),
        t("inbound.why"),
        t("inbound.answer"),
        t("inbound.came"),
      ]}
    >
      {calls.map((call) => (
        <CallLine key={call.id} row={call} onOpen={() => onOpen(call)} />
      ))}
    </WideTable>
  );
}

function CallLine({ row, onOpen }: { row: InboundCall; onOpen: () => void }) {
  const { t } = useTranslation();
  const why = useRefusalText(row);
  return (
    <Table.Tr>
      <Table.Td>
        <VerdictStatus verdict={row.verdict} />
      </Table.Td>
      <Table.Td>
        <RowButton onClick={onOpen}>
          <Text span inherit ff="monospace">
            {row.event ?? t("inbound.no_action")}
          </Text>
        </RowButton>
        {row.event_id !== null && (
          <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: "anywhere" }}>
            {row.event_id}
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={380}>
        <Text size="sm">{why}</Text>
      </Table.Td>
      <Table.Td className="tabular">
        {t("deliveries.outcome", { answer: row.status_code, time: `${row.duration_ms} ms` })}
      </Table.Td>
      <Table.Td>
        <Moment at={row.received_at} />
      </Table.Td>
    </Table.Tr>
  );
}
