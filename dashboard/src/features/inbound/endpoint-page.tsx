import { Alert, Anchor, Group, Paper, Stack } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { Chip } from "../../components/chip.tsx";
import { CopyText } from "../../components/copy-text.tsx";
import { Empty } from "../../components/empty.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { Page } from "../../components/page.tsx";
import { EndpointStatus } from "../../components/states.tsx";
import { UrlTabs } from "../../components/url-tabs.tsx";
import { differenceOf } from "../../lib/difference.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { useChangeEndpoint, useEndpoint, type Endpoint } from "./api.ts";
import { CallLog } from "./call-log.tsx";
import { CodeTabs } from "./code-tabs.tsx";
import { EndpointActions } from "./endpoint-actions.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { TryForm } from "./try-form.tsx";

/** Page of an endpoint: URL, log of calls, test call, example code and settings. */
export function EndpointPage() {
  const { endpoint: id } = useParams();
  const query = useEndpoint(Number(id));
  return (
    <QueryState query={query}>
      {(endpoint) =>
        endpoint === null ? <Gone /> : <Loaded key={endpoint.id} endpoint={endpoint} />
      }
    </QueryState>
  );
}

function Gone() {
  const { t } = useTranslation();
  return (
    <Page title={t("inbound.title")}>
      <Empty title={t("inbound.gone")} text={t("inbound.gone_text")} action={<ToList />} />
    </Page>
  );
}

function ToList() {
  const { t } = useTranslation();
  return (
    <Anchor component={Link} to={paths.inbound} size="sm">
      {t("inbound.title")}
    </Anchor>
  );
}

function Loaded({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const isAdmin = useSession().role === "admin";
  return (
    <Page
      title={endpoint.name}
      parent={{ to: paths.inbound, label: t("inbound.title") }}
      aside={<EndpointStatus enabled={endpoint.enabled} />}
      action={isAdmin && <EndpointActions endpoint={endpoint} />}
    >
      <Stack gap="md">
        <Group gap="xs">
          <Chip>{t(`inbound.kind.${endpoint.kind}`)}</Chip>
          {endpoint.strict && <Chip>{t("inbound.strict")}</Chip>}
        </Group>
        {endpoint.url !== null && <CopyText value={endpoint.url} label="URL" />}
        {endpoint.old_secret_until !== null && (
          <Alert color="warn" icon={<IconKey aria-hidden />}>
            {t("inbound.old_secret")} <Moment at={endpoint.old_secret_until} />
          </Alert>
        )}
        <Parts endpoint={endpoint} url={endpoint.url} />
      </Stack>
    </Page>
  );
}

/** Tabs of the page. Members who may not see the URL get the log only. */
function Parts({ endpoint, url }: { endpoint: Endpoint; url: string | null }) {
  const { t } = useTranslation();
  if (url === null) return <CallLog endpoint={endpoint} />;
  return (
    <UrlTabs
      tabs={[
        { name: "calls", label: t("inbound.calls"), panel: <CallLog endpoint={endpoint} /> },
        {
          name: "try",
          label: t("inbound.try"),
          panel: <TryForm endpoint={endpoint} url={url} />,
          keeps: true,
        },
        {
          name: "code",
          label: t("inbound.code"),
          panel: <CodeTabs endpoint={endpoint} url={url} />,
        },
        {
          name: "settings",
          label: t("webhooks.tabs.settings"),
          panel: <Settings endpoint={endpoint} />,
          keeps: true,
        },
      ]}
    />
  );
}

function Settings({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useTranslation();
  const change = useChangeEndpoint(endpoint);
  return (
    <Paper withBorder p="lg" maw={640}>
      <EndpointForm
        endpoint={endpoint}
        pending={change.isPending}
        onSubmit={async (input, before) => {
          await change.mutateAsync(differenceOf(input, before));
          tellDone(t("common.saved"));
        }}
      />
    </Paper>
  );
}
