import { Alert, Anchor, Code, Group, List, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconExternalLink } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CopyText } from "../../components/copy-text.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useConsentAddress, type Calendars } from "./api.ts";

interface GoogleDialogProps {
  google: Calendars["google"];
  /** Connection that is connected again. */
  connectionId?: number;
  onClose: () => void;
}

/** Dialog that leads to Google, or says what this installation lacks for that. */
export function GoogleDialog({ google, connectionId, onClose }: GoogleDialogProps) {
  const { t } = useTranslation();
  return (
    <Dialog onClose={onClose} size="lg" title={t("calendars.google.title")}>
      {google.configured ? (
        <Start connectionId={connectionId} onClose={onClose} />
      ) : (
        <Missing google={google} />
      )}
    </Dialog>
  );
}

interface StartProps {
  connectionId: number | undefined;
  onClose: () => void;
}

function Start({ connectionId, onClose }: StartProps) {
  const { t } = useTranslation();
  const address = useConsentAddress("google", connectionId);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        address.mutate(undefined, { onSuccess: (url) => window.location.assign(url) });
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t("calendars.google.text")}</Text>
        <GoogleRules />
        <FormFoot
          error={address.isError ? errorText(address.error) : null}
          submit={t("calendars.google.go")}
          // The page is left as soon as the browser has the address.
          pending={address.isPending || address.isSuccess}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

/** Google's rules for the access of an app that is in testing, not verified, or internal. */
export function GoogleRules() {
  const { t } = useTranslation();
  return (
    <div>
      <Title order={3} mb={4}>
        {t("calendars.google.rules")}
      </Title>
      <List size="sm" spacing={4}>
        {(["testing", "unverified", "internal"] as const).map((rule) => (
          <List.Item key={rule}>{t(`calendars.google.rule.${rule}`)}</List.Item>
        ))}
      </List>
    </div>
  );
}

function Missing({ google: { missing, redirect_uri } }: Pick<GoogleDialogProps, "google">) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Alert
        color="warn"
        icon={<IconAlertTriangle aria-hidden />}
        title={t("calendars.google.missing")}
      >
        <Text size="sm" mb="xs">
          {t("calendars.google.missing_text")}
        </Text>
        <Group gap="xs">
          {missing.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
        </Group>
      </Alert>
      <div>
        <Text size="sm" fw={500}>
          {t("calendars.google.redirect")}
        </Text>
        <Text size="xs" c="dimmed" mb={4}>
          {t("calendars.google.redirect_text")}
        </Text>
        <CopyText value={redirect_uri} label={t("calendars.google.redirect")} />
      </div>
      <Anchor
        size="sm"
        href="https://console.cloud.google.com/auth/clients"
        target="_blank"
        rel="noreferrer"
      >
        {t("calendars.google.console")} <IconExternalLink size={14} aria-hidden />
      </Anchor>
      <GoogleRules />
    </Stack>
  );
}
