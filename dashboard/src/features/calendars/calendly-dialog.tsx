import { Alert, Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { IconAlertCircle, IconExternalLink } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { calendlyScopes } from "../../../../core/model/calendly-scopes.ts";
import { Dialog } from "../../components/dialog.tsx";
import { FormFoot } from "../../components/form-foot.tsx";
import { SecretInput } from "../../components/secret-input.tsx";
import { ApiError } from "../../lib/api.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useConnectCalendly, useConsentAddress, type Calendars } from "./api.ts";

interface CalendlyDialogProps {
  calendly: Calendars["calendly"];
  /** Connection that is connected again. */
  known?: { id: number; name: string };
  onClose: () => void;
}

/** Dialog that leads to Calendly, where this installation has an app, or takes a token. */
export function CalendlyDialog({ calendly, known, onClose }: CalendlyDialogProps) {
  const { t } = useTranslation();
  const { configured } = calendly;
  const [hasToken, setHasToken] = useState(!configured);
  const title =
    known === undefined
      ? t("calendars.calendly.title")
      : t("calendars.calendly.again", { name: known.name });
  return (
    <Dialog onClose={onClose} size="lg" title={title}>
      {hasToken ? (
        <TokenForm onClose={onClose} />
      ) : (
        <SignIn connectionId={known?.id} onToken={() => setHasToken(true)} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface SignInProps {
  connectionId: number | undefined;
  onToken: () => void;
  onClose: () => void;
}

/** Leads to Calendly's consent screen, or to the form for a token. */
function SignIn({ connectionId, onToken, onClose }: SignInProps) {
  const { t } = useTranslation();
  const address = useConsentAddress("calendly", connectionId);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        address.mutate(undefined, { onSuccess: (url) => window.location.assign(url) });
      }}
    >
      <Stack gap="md">
        <Text size="sm">{t("calendars.calendly.sign_in")}</Text>
        <Text size="xs" c="dimmed">
          {t("calendars.calendly.sign_in_owner")}
        </Text>
        <Anchor component="button" type="button" size="sm" ta="start" onClick={onToken}>
          {t("calendars.calendly.use_token")}
        </Anchor>
        <FormFoot
          error={address.isError ? errorText(address.error) : null}
          submit={t("calendars.calendly.go")}
          // The page is left as soon as the browser has the address.
          pending={address.isPending || address.isSuccess}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function TokenForm({ onClose }: Pick<CalendlyDialogProps, "onClose">) {
  const { t } = useTranslation();
  const [token, setToken] = useState("");
  const connect = useConnectCalendly();
  const errors = fieldErrors(connect.error);
  const hasFieldError = Object.keys(errors).length > 0;
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        connect.mutate(
          { token: token.trim() },
          {
            onSuccess: () => {
              onClose();
              tellDone(t("calendars.calendly.connected"));
            },
          },
        );
      }}
    >
      <Stack gap="md">
        <Scopes />
        <SecretInput
          label={t("calendars.calendly.token")}
          description={t("calendars.calendly.token_text")}
          required
          withAsterisk={false}
          data-autofocus
          error={errors["token"]}
          value={token}
          onChange={({ currentTarget }) => setToken(currentTarget.value)}
        />
        {connect.isError && !hasFieldError && <Refused error={connect.error} />}
        <FormFoot
          error={null}
          submit={t("calendars.calendly.submit")}
          pending={connect.isPending}
          disabled={token.trim() === ""}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

function Scopes() {
  const { t } = useTranslation();
  return (
    <div>
      <Text size="sm" mb="xs">
        {t("calendars.calendly.text")}
      </Text>
      <ScopeList scopes={calendlyScopes} />
      <Anchor
        mt="xs"
        display="inline-block"
        size="sm"
        href="https://calendly.com/integrations/api_webhooks"
        target="_blank"
        rel="noreferrer"
      >
        {t("calendars.calendly.link")} <IconExternalLink size={14} aria-hidden />
      </Anchor>
      <Text size="xs" c="dimmed" mt="xs">
        {t("calendars.calendly.owner")}
      </Text>
    </div>
  );
}

function ScopeList({ scopes }: { scopes: readonly string[] }) {
  return (
    <Group gap={6}>
      {scopes.map((scope) => (
        <Code key={scope}>{scope}</Code>
      ))}
    </Group>
  );
}

/** Why Calendly's token was refused, with the permissions that it lacks. */
function Refused({ error }: { error: Error }) {
  const { t } = useTranslation();
  const details = (error instanceof ApiError ? error.details : null) as RefusedDetails | null;
  const reason = reasons.find((one) => one === details?.reason);
  const missing = details?.missing_scopes ?? [];
  return (
    <Alert color="bad" role="alert" icon={<IconAlertCircle size={18} aria-hidden />}>
      <Stack gap="xs">
        {reason === undefined ? errorText(error) : t(`calendars.calendly.refused.${reason}`)}
        {missing.length > 0 && <ScopeList scopes={missing} />}
      </Stack>
    </Alert>
  );
}

const reasons = ["token_invalid", "missing_scopes", "unreachable"] as const;

interface RefusedDetails {
  reason?: string;
  missing_scopes?: string[];
}
