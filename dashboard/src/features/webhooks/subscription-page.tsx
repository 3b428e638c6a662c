import { Alert, Anchor, Group, Paper, Stack, Tabs, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { LoadFailed, LoadingRows } from "../../components/load-states.tsx";
import { Page } from "../../components/page.tsx";
import { SubscriptionBadge } from "../../components/state-badge.tsx";
import { codeText } from "../../lib/code-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSession } from "../../lib/session.ts";
import { paths } from "../../paths.ts";
import { subscriptionQuery, useChangeSubscription, type Subscription } from "./api.ts";
import { DeliveryLog } from "./delivery-log.tsx";
import { SubscriptionActions } from "./subscription-actions.tsx";
import { SubscriptionForm } from "./subscription-form.tsx";

/** One subscription: how it stands, its delivery log, its settings. */
export function SubscriptionPage() {
  const { subscription } = useParams();
  const id = Number(subscription);
  const { data, error, refetch } = useQuery(subscriptionQuery(id));
  if (data === undefined && error !== null) return <LoadFailed error={error} retry={refetch} />;
  if (data === undefined) return <LoadingRows />;
  return <Loaded subscription={data} />;
}

function Loaded({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const { role } = useSession();
  const isAdmin = role === "admin";
  return (
    <Page
      title={subscription.name}
      action={isAdmin && <SubscriptionActions subscription={subscription} />}
    >
      <Stack gap="md">
        <Group gap="sm">
          <Anchor component={Link} to={paths.webhooks} size="sm">
            {t("webhooks.title")}
          </Anchor>
          <SubscriptionBadge state={subscription.state} />
          <Text size="sm" ff="monospace" c="dimmed">
            {subscription.url}
          </Text>
        </Group>
        {subscription.disabled_reason !== null && (
          <Alert color="red" icon={<IconAlertTriangle aria-hidden />}>
            {codeText("disabled_reason", subscription.disabled_reason)}
          </Alert>
        )}
        <Tabs defaultValue="deliveries" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="deliveries">{t("webhooks.deliveries")}</Tabs.Tab>
            {isAdmin && <Tabs.Tab value="settings">{t("webhooks.settings")}</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="deliveries">
            <DeliveryLog subscriptionId={subscription.id} />
          </Tabs.Panel>
          <Tabs.Panel value="settings">
            <Settings subscription={subscription} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Page>
  );
}

function Settings({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const change = useChangeSubscription(subscription.id);
  return (
    <Paper withBorder p="lg" maw={640}>
      <SubscriptionForm
        subscription={subscription}
        submit={t("common.save")}
        pending={change.isPending}
        onSubmit={async (input) => {
          await change.mutateAsync(input);
          tellDone(t("common.saved"));
        }}
      />
    </Paper>
  );
}
