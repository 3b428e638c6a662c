import { Group, Paper, Stack, Text } from "@mantine/core";
import { IconCircle, IconCircleCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { MetaDriver } from "../../../../core/model/channels.ts";
import { CopyText } from "../../components/copy-text.tsx";
import { Moment } from "../../components/moment.tsx";
import type { ChannelApp } from "./api.ts";
import styles from "./channels.module.css";

interface AppCallbackProps {
  app: ChannelApp;
  driver: MetaDriver;
}

/** The URL and the verify token for Meta's settings, and the fields to tick there. */
export function AppCallback({ app, driver }: AppCallbackProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text size="sm">{t(`connecting.paste.${driver}`)}</Text>
        <div>
          <Text size="xs" fw={500}>
            {t("connecting.webhook_url")}
          </Text>
          <CopyText value={app.webhook_url} label={t("connecting.webhook_url")} />
        </div>
        <div>
          <Text size="xs" fw={500}>
            {t("connecting.verify_token")}
          </Text>
          <CopyText value={app.verify_token} label={t("connecting.verify_token")} />
        </div>
        {driver === "whatsapp_cloud" && (
          <FieldList title={t("connecting.tick")} fields={app.fields} />
        )}
      </Stack>
    </Paper>
  );
}

interface FieldListProps {
  title: string;
  fields: ChannelApp["fields"];
}

/** Fields of Meta's webhooks; each is ticked once a webhook of it has arrived. */
export function FieldList({ title, fields }: FieldListProps) {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="xs" fw={500} mb={4}>
        {title}
      </Text>
      <ul className={styles["fields"]} aria-label={title}>
        {fields.map(({ field, seen_at: at }) => (
          <li key={field} data-seen={at !== null || undefined}>
            {at === null ? (
              <IconCircle size={15} aria-hidden />
            ) : (
              <IconCircleCheck size={15} aria-hidden />
            )}
            <Text span size="xs" ff="monospace">
              {field}
            </Text>
            <Group gap={4} ml="auto" fz="xs" c="dimmed">
              {at === null ? t("connecting.not_seen") : <Moment at={at} />}
            </Group>
          </li>
        ))}
      </ul>
    </div>
  );
}
