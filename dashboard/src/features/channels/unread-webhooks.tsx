import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "../../components/code-block.tsx";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { tellDone, tellFailure } from "../../lib/notify.ts";
import {
  unreadWebhooksQuery,
  useRetryWebhook,
  webhookTextQuery,
  type ChannelWebhook,
} from "./api.ts";

/** Signed webhooks of an app that nobody could read, each with its text and Retry. */
export function UnreadWebhooks({ appId }: { appId: number }) {
  const { t } = useTranslation();
  const webhooks = useQuery(unreadWebhooksQuery);
  const rows = webhooks.data?.data.filter((one) => one.channel_app_id === appId) ?? [];
  if (rows.length === 0) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t("channels.unread")}>
      <Title order={2} size="h3">
        {t("channels.unread")}
      </Title>
      <Text size="sm" mb="sm">
        {t("channels.unread_text")}
      </Text>
      <Stack gap="xs">
        {rows.map((row) => (
          <Webhook key={row.id} row={row} />
        ))}
      </Stack>
    </Paper>
  );
}

function Webhook({ row }: { row: ChannelWebhook }) {
  const { t, i18n } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const retry = useRetryWebhook(row.id);
  const size = row.bytes.toLocaleString(i18n.language);
  return (
    <div>
      <Group gap="xs" justify="space-between">
        <Text size="sm">
          <Moment at={row.received_at} /> · {t("channels.bytes", { size })}
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {t("channels.raw")}
          </Button>
          <PendingButton
            size="xs"
            variant="default"
            pending={retry.isPending}
            onClick={() =>
              retry.mutate(undefined, {
                onError: (error) => tellFailure(t("channels.not_retried"), error),
                onSuccess: () => tellDone(t("channels.retried")),
              })
            }
          >
            {t("channels.retry")}
          </PendingButton>
        </Group>
      </Group>
      {isOpen && <WebhookText id={row.id} />}
    </div>
  );
}

function WebhookText({ id }: { id: number }) {
  const { t } = useTranslation();
  return (
    <QueryState query={useQuery(webhookTextQuery(id))} rows={1}>
      {({ webhook }) => (
        <CodeBlock value={webhook ?? t("channels.raw_gone")} label={t("channels.raw_webhook")} />
      )}
    </QueryState>
  );
}
