import { Alert, Paper, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { QueryState } from "../../components/load-states.tsx";
import { Moment } from "../../components/moment.tsx";
import { isMetaDriver } from "../../../../core/model/channels.ts";
import { AppCallback, FieldList } from "./app-callback.tsx";
import { AppForm, type AppSecrets } from "./app-form.tsx";
import { appsQuery, type Channel, type ChannelApp } from "./api.ts";
import { UnreadWebhooks } from "./unread-webhooks.tsx";

/** The Meta app of a channel: bad signatures, callback, fields, and new secrets. */
export function AppPanel({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const apps = useQuery(appsQuery);
  return (
    <QueryState query={apps}>
      {(rows) => {
        const app = rows.find(({ id }) => id === channel.channel_app_id);
        if (app === undefined) return <Text>{t("channels.gone")}</Text>;
        return <Loaded app={app} channel={channel} />;
      }}
    </QueryState>
  );
}

function Loaded({ app, channel }: { app: ChannelApp; channel: Channel }) {
  const { t } = useTranslation();
  return (
    <Stack gap="md" maw={720}>
      <Title order={2} size="h3">
        {t("connecting.app", { id: app.app_id })}
      </Title>
      {app.bad_signatures > 0 && <BadSignatures app={app} />}
      {isMetaDriver(channel.driver) && <AppCallback app={app} driver={channel.driver} />}
      {channel.fields.length > 0 && (
        <Paper withBorder p="md">
          <FieldList title={t("channels.fields")} fields={channel.fields} />
        </Paper>
      )}
      {app.parked_webhooks > 0 && <UnreadWebhooks appId={app.id} />}
      <NewSecrets app={app} />
    </Stack>
  );
}

function BadSignatures({ app }: { app: ChannelApp }) {
  const { t } = useTranslation();
  return (
    <Alert
      color="warn"
      icon={<IconAlertTriangle aria-hidden />}
      title={t("channels.bad_signatures", { count: app.bad_signatures })}
    >
      <Text size="sm">
        {t("channels.bad_signatures_text")}
        {app.bad_signature_at !== null && (
          <>
            {" "}
            {t("channels.bad_signature_last")} <Moment at={app.bad_signature_at} />
          </>
        )}
      </Text>
    </Alert>
  );
}

/** Replaces the secrets of an app. The earlier ones are taken for 24 hours more. */
function NewSecrets({ app }: { app: ChannelApp }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<AppSecrets>({ appSecret: "", instagramSecret: "" });
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h3" mb="sm">
        {t("channels.new_secrets")}
      </Title>
      <AppForm
        text={t("channels.new_secrets_text")}
        knownId={app.app_id}
        typed={typed}
        hasInstagram={app.has_instagram_secret}
        onType={(part) => setTyped((now) => ({ ...now, ...part }))}
        onSaved={() => setTyped({ appSecret: "", instagramSecret: "" })}
      />
    </Paper>
  );
}
