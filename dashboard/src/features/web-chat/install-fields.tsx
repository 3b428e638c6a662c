import { Alert, Paper, Stack, Switch, Text, Textarea, TextInput, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CodeBlock } from "../../components/code-block.tsx";
import { Moment } from "../../components/moment.tsx";
import { Status } from "../../components/status.tsx";
import type { Widget } from "../../lib/widgets.ts";
import type { FieldsProps } from "./widget-values.ts";

/** Line of HTML that shows the widget on a site. */
function snippetOf({ script_url: url }: Widget): string {
  return `<script async src="${url}"></script>`;
}

/** The line to paste into the site, the sites that may show the widget, and its name. */
export function InstallFields({ form, widget }: FieldsProps & { widget: Widget }) {
  const { t } = useTranslation();
  return (
    <Stack>
      <Paper withBorder p="lg">
        <Stack gap="sm">
          <Title order={2}>{t("web_chat.install")}</Title>
          <Text size="sm">{t("web_chat.install_text")}</Text>
          <CodeBlock value={snippetOf(widget)} label={t("web_chat.snippet")} />
          <div role="status">
            <Seen widget={widget} />
          </div>
          <Text size="xs" c="dimmed">
            {t("web_chat.install_more")}
          </Text>
        </Stack>
      </Paper>
      <Paper withBorder p="lg">
        <Stack gap="sm">
          <Title order={2}>{t("web_chat.sites")}</Title>
          <Textarea
            label={t("web_chat.sites_label")}
            description={t("web_chat.sites_text")}
            placeholder="https://www.example.com"
            autosize
            minRows={3}
            maxRows={12}
            spellCheck={false}
            {...form.getInputProps("origins")}
          />
          {form.values.origins.trim() === "" && (
            <Alert color="warn" icon={<IconAlertTriangle size={18} aria-hidden />}>
              {t("web_chat.any_site_text")}
            </Alert>
          )}
          <Switch
            label={t("web_chat.null_origin")}
            description={t("web_chat.null_origin_text")}
            {...form.getInputProps("settings.allows_null_origin", { type: "checkbox" })}
          />
        </Stack>
      </Paper>
      <InParley form={form} />
    </Stack>
  );
}

function InParley({ form }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("web_chat.in_parley")}</Title>
        <TextInput
          label={t("common.name")}
          description={t("web_chat.name_text")}
          required
          withAsterisk={false}
          maxLength={200}
          {...form.getInputProps("name")}
        />
        <Switch
          label={t("channels.bot_default")}
          description={t("channels.bot_default_text")}
          {...form.getInputProps("bot_default", { type: "checkbox" })}
        />
      </Stack>
    </Paper>
  );
}

function Seen({ widget: { seen_at: at, seen_on: site } }: { widget: Widget }) {
  const { t } = useTranslation();
  if (at === null) return <Status tone="gray">{t("web_chat.not_seen_text")}</Status>;
  return (
    <Status tone="ok">
      {site === null ? t("web_chat.seen") : t("web_chat.seen_on", { site })} <Moment at={at} />
    </Status>
  );
}
