import { Button, SimpleGrid, Stack } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { SettingsNav } from "../../components/settings-nav.tsx";
import { Empty } from "../../components/empty.tsx";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { useSession } from "../../lib/session.ts";
import { clockDuration } from "../../lib/time.ts";
import { systemQuery, type System } from "./api.ts";
import { FaultTable } from "./fault-table.tsx";
import { Figures } from "./figures.tsx";
import { HealthChecks } from "./health-checks.tsx";
import { WorkerList } from "./worker-list.tsx";

/** Page for admins: problems, outbox, workers, versions and the last failures. */
export function SystemPage() {
  const { t } = useTranslation();
  const { role } = useSession();
  if (role === "admin") return <Looked />;
  return (
    <Page title={t("system.title")}>
      <Empty title={t("system.admins")} text={t("error.forbidden_role")} />
    </Page>
  );
}

function Looked() {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(systemQuery);
  const url = data?.temporal_ui_url ?? null;
  return (
    <Page title={t("system.title")} action={url !== null && <TemporalLink url={url} />}>
      <SettingsNav />
      {error !== null && <LoadFailed error={error} retry={refetch} />}
      {data === undefined && error === null && <LoadingRows />}
      {data !== undefined && <Loaded system={data} />}
    </Page>
  );
}

function TemporalLink({ url }: { url: string }) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noreferrer"
      variant="default"
      leftSection={<IconExternalLink size={16} aria-hidden />}
    >
      {t("system.temporal_ui")}
    </Button>
  );
}

function Loaded({ system }: { system: System }) {
  const { t } = useTranslation();
  const { outbox, deliveries, versions } = system;
  const figure = (count: number | null) => count ?? t("system.unknown");
  const age = (seconds: number | null) =>
    seconds === null ? t("system.unknown") : clockDuration(seconds * 1_000);
  return (
    <Stack gap="lg">
      <HealthChecks system={system} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Figures
          title={t("system.outbox")}
          text={t("system.outbox_text")}
          rows={[
            [t("system.rows"), figure(outbox.rows)],
            [t("system.own_rows"), figure(outbox.own_rows)],
            [t("system.oldest"), outbox.rows === 0 ? "–" : age(outbox.oldest_seconds)],
            [t("system.refused"), figure(outbox.parked)],
            [t("system.own_refused"), figure(outbox.own_parked)],
          ]}
        />
        <Figures
          title={t("system.deliveries")}
          text={t("system.deliveries_text")}
          rows={(["queued", "sending", "waiting", "held"] as const).map((state) => [
            t(`delivery_state.${state}`),
            deliveries[state],
          ])}
        />
        <WorkerList system={system} />
        <Figures
          title={t("system.versions")}
          rows={[
            ["Parley", versions.parley],
            ["Node", versions.node],
            ["MySQL", versions.mysql],
            ["Temporal", versions.temporal ?? t("system.unknown")],
            [t("system.sdk"), versions.temporal_sdk],
          ]}
        />
      </SimpleGrid>
      <FaultTable faults={system.faults} />
    </Stack>
  );
}
