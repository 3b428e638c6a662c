import { Button, Switch, Table, Text } from "@mantine/core";
import { IconPlus, IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RowLink } from "../../components/wide-table.tsx";
import { useUrlDisclosure } from "../../lib/url-disclosure.ts";
import { EmptyList } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { SubscriptionStatus } from "../../components/states.tsx";
import { WideTable } from "../../components/wide-table.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { subscriptionPath } from "../../paths.ts";
import { AddModal } from "./add-modal.tsx";
import {
  allStatsQuery,
  subscriptionsQuery,
  useSwitchSubscription,
  type Subscription,
  type SubscriptionStats,
} from "./api.ts";
import { DeveloperSteps } from "./developer-steps.tsx";
import { isFailing } from "./failing.ts";
import { LastError, P95, SuccessShare } from "./health.tsx";
import { Sparkline } from "./sparkline.tsx";

/** Page of the account's webhook subscriptions, with figures of their receivers. */
export function WebhooksPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  const [adding, add] = useUrlDisclosure();
  const button = role === "admin" && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add.open}>
      {t("webhooks.add")}
    </Button>
  );
  return (
    <Page title={t("webhooks.title")} action={button}>
      {role === "admin" && <DeveloperSteps onAdd={add.open} />}
      <Subscriptions onAdd={role === "admin" ? add.open : null} />
      {adding && <AddModal onClose={add.close} />}
    </Page>
  );
}

/** List of subscriptions. `onAdd` is null for members without the right to add. */
function Subscriptions({ onAdd }: { onAdd: (() => void) | null }) {
  const { t } = useTranslation();
  const [offset, setOffset] = useState(0);
  const subscriptions = useQuery(subscriptionsQuery(offset));
  const stats = useQuery(allStatsQuery()).data;
  return (
    <QueryState query={subscriptions}>
      {({ data, meta }) =>
        meta.total === 0 ? (
          <EmptyList
            title={t("webhooks.empty")}
            text={t("webhooks.empty_text")}
            first={t("webhooks.add_first")}
            hint={t("webhooks.add_hint")}
            icon={IconWebhook}
            onFirst={onAdd}
          />
        ) : (
          <>
            <SubscriptionTable rows={data} stats={stats} />
            <Pager meta={meta} onMove={setOffset} />
          </>
        )
      }
    </QueryState>
  );
}

interface SubscriptionTableProps {
  rows: Subscription[];
  /** Undefined until the stats are loaded. */
  stats: SubscriptionStats[] | undefined;
}

function SubscriptionTable({ rows, stats }: SubscriptionTableProps) {
  const { t } = useTranslation();
  const figures = (["last_day", "success", "p95", "last_error"] as const).map((one) =>
    t(`stats.${one}`),
  );
  return (
    <WideTable
      label={t("webhooks.title")}
      minWidth={980}
      heads={["URL", t("webhooks.events"), ...figures, t("people.state")]}
    >
      {rows.map((row) => (
        <SubscriptionRow
          key={row.id}
          row={row}
          stats={stats?.find((one) => one.subscription_id === row.id)}
        />
      ))}
    </WideTable>
  );
}

interface SubscriptionRowProps {
  row: Subscription;
  stats: SubscriptionStats | undefined;
}

function SubscriptionRow({ row, stats }: SubscriptionRowProps) {
  const { t } = useTranslation();
  const { role } = useSession();
  const figure = (show: (stats: SubscriptionStats) => ReactNode): ReactNode => (
    <Table.Td>{stats !== undefined && show(stats)}</Table.Td>
  );
  return (
    <Table.Tr>
      <Table.Td>
        <RowLink to={subscriptionPath(row.id)}>{row.name}</RowLink>
        <Text size="xs" c="dimmed" ff="monospace" maw={260} style={{ overflowWrap: "anywhere" }}>
          {row.url}
        </Text>
      </Table.Td>
      <Table.Td>
        {row.events.includes("*") ? (
          t("webhooks.all_events")
        ) : (
          <Text size="sm" ff="monospace">
            {row.events.join(", ")}
          </Text>
        )}
      </Table.Td>
      {figure((own) => (
        <Sparkline stats={own} />
      ))}
      {figure((own) => (
        <SuccessShare stats={own} />
      ))}
      {figure((own) => (
        <P95 stats={own} />
      ))}
      {figure((own) => (
        <LastError stats={own} />
      ))}
      <Table.Td>
        <SubscriptionStatus state={row.state} failing={isFailing(stats)} />
        {role === "admin" && <StateSwitch row={row} />}
      </Table.Td>
    </Table.Tr>
  );
}

/** Switch of a subscription. Off pauses. On resumes, or enables a disabled one. */
function StateSwitch({ row }: { row: Subscription }) {
  const { t } = useTranslation();
  const change = useSwitchSubscription(row);
  return (
    <Switch
      mt={6}
      size="xs"
      aria-label={t("webhooks.switch", { name: row.name })}
      checked={row.state === "active"}
      // Not disabled while it saves, because a disabled switch loses the keyboard focus.
      aria-busy={change.isPending}
      onChange={() => {
        if (change.isPending) return;
        change.mutate(undefined, {
          onError: (error) => tellFailure(t("webhooks.not_changed"), error),
        });
      }}
    />
  );
}
