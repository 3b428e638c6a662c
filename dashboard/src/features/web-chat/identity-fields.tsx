import { Button, Group, Paper, Select, Stack, Tabs, Text, Textarea, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { IdentityMode } from "../../../../core/model/widget.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { ConfirmModal } from "../../components/confirm-modal.tsx";
import { OneTimeSecretModal } from "../../components/one-time-secret-modal.tsx";
import { tellFailure } from "../../lib/notify.ts";
import { useRenewSecret } from "./api.ts";
import { type Widget } from "../../lib/widgets.ts";
import { identityLanguages, identitySnippetOf } from "./identity-snippets.ts";
import type { FieldsProps } from "./widget-values.ts";

const identityModes = ["off", "optional", "required"] as const satisfies readonly IdentityMode[];
const titles = { node: "Node", python: "Python", php: "PHP", ruby: "Ruby" } as const;

/** Signed identities: their mode, the secret or the key that signs them, and example programs. */
export function IdentityFields({ form, widget }: FieldsProps & { widget: Widget }) {
  const { t } = useTranslation();
  const hasKey = form.values.public_key.trim() !== "";
  return (
    <Stack>
      <Paper withBorder p="lg">
        <Stack gap="sm">
          <Title order={2}>{t("web_chat.identity")}</Title>
          <Text size="sm">{t("web_chat.identity_text")}</Text>
          <Select
            label={t("web_chat.identity_mode")}
            description={t(`web_chat.identity_help.${form.values.identity_mode}`)}
            allowDeselect={false}
            data={identityModes.map((value) => ({
              value,
              label: t(`web_chat.identity_modes.${value}`),
            }))}
            {...form.getInputProps("identity_mode")}
          />
        </Stack>
      </Paper>
      <Secret widget={widget} />
      <Paper withBorder p="lg">
        <Stack gap="sm">
          <Title order={2}>{t("web_chat.public_key")}</Title>
          <Textarea
            label={t("web_chat.public_key_label")}
            description={t("web_chat.public_key_text")}
            placeholder={"-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----"}
            autosize
            minRows={4}
            maxRows={12}
            maxLength={2_000}
            spellCheck={false}
            {...form.getInputProps("public_key")}
          />
        </Stack>
      </Paper>
      {!hasKey && <Snippets widgetKey={widget.key} />}
    </Stack>
  );
}

function Secret({ widget }: { widget: Widget }) {
  const { t } = useTranslation();
  const [asking, ask] = useDisclosure(false);
  const renew = useRenewSecret(widget.id);
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("web_chat.secret")}</Title>
        <Text size="sm">{t("web_chat.secret_text")}</Text>
        <Group>
          <Button
            variant="default"
            leftSection={<IconKey size={16} aria-hidden />}
            onClick={ask.open}
          >
            {t("web_chat.renew")}
          </Button>
        </Group>
      </Stack>
      {asking && (
        <ConfirmModal
          title={t("web_chat.renew_ask")}
          text={t("web_chat.renew_text")}
          action={t("web_chat.renew")}
          pending={renew.isPending}
          onConfirm={() =>
            renew.mutate(undefined, {
              onSuccess: ask.close,
              onError: (error) => tellFailure(t("web_chat.not_renewed"), error),
            })
          }
          onClose={ask.close}
        />
      )}
      {renew.data !== undefined && (
        <OneTimeSecretModal
          title={t("web_chat.renewed")}
          text={t("web_chat.renewed_text")}
          label={t("web_chat.secret")}
          value={renew.data.identity_secret}
          onClose={renew.reset}
        />
      )}
    </Paper>
  );
}

function Snippets({ widgetKey }: { widgetKey: string }) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("web_chat.code")}</Title>
        <Text size="sm">{t("web_chat.code_text")}</Text>
        <Tabs defaultValue="node" keepMounted={false}>
          <Tabs.List mb="sm">
            {identityLanguages.map((language) => (
              <Tabs.Tab key={language} value={language}>
                {titles[language]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {identityLanguages.map((language) => (
            <Tabs.Panel key={language} value={language}>
              <CodeBlock value={identitySnippetOf(language, widgetKey)} label={titles[language]} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <Text size="sm">{t("web_chat.code_page")}</Text>
        <CodeBlock value={pageSnippet} label={t("web_chat.code_page_label")} />
      </Stack>
    </Paper>
  );
}

/** The queue takes calls that come before the script. */
const pageSnippet = `<script>
  window.Parley ||= (...call) =>
    new Promise((done, fail) => (window.Parley.q ||= []).push([call, done, fail]));
  Parley("identify", "THE TOKEN OF YOUR SERVER");
</script>
`;
