import { Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import { defaultName } from "../../../../core/model/subscription.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { SubscriptionStatus } from "../../components/states.tsx";
import { UrlTabs } from "../../components/url-tabs.tsx";
import { differenceOf } from "../../lib/difference.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { useUrlFilters } from "../../lib/url-filters.ts";
import { paths } from "../../paths.ts";
import {
  statsQuery,
  subscriptionQuery,
  useChangeSubscription,
  type Subscription,
  type SubscriptionInput,
} from "./api.ts";
import { DeliveryLog } from "./delivery-log.tsx";
import { EventsTab } from "./events-tab.tsx";
import { isFailing } from "./failing.ts";
import { Health } from "./health.tsx";
import { ReplayModal, ReplayNotice } from "./replay-modal.tsx";
import { FailingNotice, StateNotice } from "./state-notice.tsx";
import { SubscriptionActions } from "./subscription-actions.tsx";
import { SubscriptionForm, TargetFields } from "./subscription-form.tsx";
import { VerificationTab } from "./verification-tab.tsx";

/** Page of a subscription: state, delivery log, events, verification and settings. */
export function SubscriptionPage() {
  const { subscription: id } = useParams();
  const query = useQuery(subscriptionQuery(Number(id)));
  return (
    <QueryState query={query}>
      {(subscription) => <Loaded key={subscription.id} subscription={subscription} />}
    </QueryState>
  );
}

function Loaded({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const [params, set] = useUrlFilters(["replay"]);
  const isAdmin = role === "admin";
  const replay = params.get("replay");
  const { data: stats } = useQuery(statsQuery(subscription.id));
  const isLiveFailure = subscription.state === "active" && isFailing(stats);
  return (
    <Page
      title={subscription.name}
      parent={{ to: paths.webhooks, label: t("webhooks.title") }}
      aside={<SubscriptionStatus state={subscription.state} failing={isFailing(stats)} />}
      action={isAdmin && <SubscriptionActions subscription={subscription} />}
    >
      <Stack gap="md">
        <Health id={subscription.id} />
        {isAdmin ? (
          <CopyText value={subscription.url} label="URL" />
        ) : (
          <Text size="xs" ff="monospace">
            {subscription.url}
          </Text>
        )}
        <StateNotice subscription={subscription} />
        {isLiveFailure && stats !== undefined && <FailingNotice stats={stats} />}
        <ReplayNotice
          subscriptionId={subscription.id}
          onOpen={isAdmin ? (id) => set("replay", String(id)) : null}
        />
        <PageTabs subscription={subscription} isAdmin={isAdmin} />
      </Stack>
      {isAdmin && replay !== null && (
        <ReplayModal
          subscription={subscription}
          id={replay === "new" ? null : Number(replay)}
          onDrafted={(id) => set("replay", String(id), { replace: true })}
          onClose={() => set("replay", null)}
        />
      )}
    </Page>
  );
}

/** Tabs for admins only. A signed sample could be posted to the receiver like a real event. */
const adminTabs = new Set(["events", "settings"]);

interface PageTabsProps {
  subscription: Subscription;
  isAdmin: boolean;
}

function PageTabs({ subscription, isAdmin }: PageTabsProps) {
  const { t } = useTranslation();
  const tabs = [
    { name: "deliveries", panel: <DeliveryLog subscriptionId={subscription.id} /> },
    { name: "events", panel: <EventsTab subscription={subscription} />, keeps: true },
    {
      name: "verification",
      panel: <VerificationTab subscription={subscription} isAdmin={isAdmin} />,
    },
    { name: "settings", panel: <Settings subscription={subscription} />, keeps: true },
  ] as const;
  const shown = tabs.filter(({ name }) => isAdmin || !adminTabs.has(name));
  return <UrlTabs tabs={shown.map((tab) => ({ ...tab, label: t(`webhooks.tabs.${tab.name}`) }))} />;
}

function settingsOf(input: SubscriptionInput) {
  const { url, name = defaultName(url), auto_disable, max_concurrency } = input;
  return { name, url, auto_disable, max_concurrency };
}

function Settings({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const change = useChangeSubscription(subscription.id);
  return (
    <Paper withBorder p="lg" maw={640}>
      <SubscriptionForm
        subscription={subscription}
        pending={change.isPending}
        onSubmit={async (input, before) => {
          // The rest stays as it is by now, which may be a colleague's choice.
          await change.mutateAsync(differenceOf(settingsOf(input), settingsOf(before)));
          tellDone(t("common.saved"));
        }}
      >
        {(form) => <TargetFields form={form} />}
      </SubscriptionForm>
    </Paper>
  );
}
