import { Anchor, Paper, Table, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Empty } from "../../components/empty.tsx";
import { Moment } from "../../components/moment.tsx";
import { DeliveryStatus } from "../../components/states.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { errorClassText } from "../../lib/error-text.ts";
import { deliveryPath } from "../../paths.ts";
import type { Fault } from "./api.ts";

/**
 * The last failed deliveries of the account, each with links to its attempts and its workflow run.
 */
export function FaultTable({ faults }: { faults: Fault[] }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Title order={2}>{t("system.faults")}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t("system.faults_text")}
      </Text>
      {faults.length === 0 ? (
        <Empty title={t("system.no_faults")} text={t("system.no_faults_text")} />
      ) : (
        <WideTable
          label={t("system.faults")}
          minWidth={720}
          heads={[
            t("system.delivery"),
            t("system.state"),
            t("system.answer"),
            { label: t("system.attempts"), isEnd: true },
            t("system.changed"),
            t("system.run"),
          ]}
        >
          {faults.map((fault) => (
            <FaultRow key={fault.delivery_id} fault={fault} />
          ))}
        </WideTable>
      )}
    </Paper>
  );
}

function FaultRow({ fault }: { fault: Fault }) {
  const { t } = useTranslation();
  const { subscription_name: name, status_code: status, error_class: errorClass } = fault;
  const path = deliveryPath(fault.subscription_id, fault.delivery_id);
  return (
    <Table.Tr>
      <Table.Td>
        {name === null ? (
          <Text ff="monospace">{fault.event_type}</Text>
        ) : (
          <Anchor component={Link} to={path} ff="monospace">
            {fault.event_type}
          </Anchor>
        )}
        <Text size="xs" c="dimmed">
          {name ?? t("system.gone")}
        </Text>
      </Table.Td>
      <Table.Td>
        <DeliveryStatus state={fault.state} />
      </Table.Td>
      <Table.Td>
        {status === null
          ? errorClass === null
            ? "–"
            : errorClassText(errorClass)
          : `HTTP ${status}`}
      </Table.Td>
      <Table.Td ta="right" className="tabular">
        {fault.attempts_made}
      </Table.Td>
      <Table.Td>
        <Moment at={fault.updated_at} />
      </Table.Td>
      <Table.Td>
        {fault.workflow_url === null ? (
          "–"
        ) : (
          <Anchor href={fault.workflow_url} target="_blank" rel="noreferrer" size="sm">
            {t("system.temporal_ui")}
          </Anchor>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
