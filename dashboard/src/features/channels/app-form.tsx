import { Alert, Group, Stack, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useSaveApp, type ChannelApp } from "./api.ts";
import { SecretInput } from "../../components/secret-input.tsx";

/** Typed secrets of an app, and the id of a new one. */
export interface AppSecrets {
  appId?: string;
  appSecret: string;
  instagramSecret: string;
}

interface AppFormProps {
  /** Where to find the values. */
  text: string;
  /** Meta's id of a known app; null for a new app, whose id is typed. */
  knownId: string | null;
  typed: AppSecrets;
  /** True where Instagram Login needs a secret of its own. */
  hasInstagram: boolean;
  onType: (part: Partial<AppSecrets>) => void;
  /** Called once the API has stored the secrets, so that the form forgets them. */
  onSaved: (app: ChannelApp) => void;
}

/** Fields of a Meta app. A refusal keeps everything that was typed. */
export function AppForm(props: AppFormProps) {
  const { text, knownId, typed, hasInstagram, onSaved } = props;
  const { t } = useTranslation();
  const save = useSaveApp();
  const errors = fieldErrors(save.error);
  const submit = (): void => {
    const body = {
      app_id: knownId ?? (typed.appId ?? "").trim(),
      app_secret: typed.appSecret.trim(),
      ...(hasInstagram && { instagram_app_secret: typed.instagramSecret.trim() }),
    };
    save.mutate(body, {
      onSuccess: (app) => {
        tellDone(t("connecting.app_saved"));
        onSaved(app);
      },
    });
  };
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <AppFields {...props} errors={errors} />
        {save.error !== null && Object.keys(errors).length === 0 && (
          <Alert color="bad" role="alert">
            {errorText(save.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <PendingButton type="submit" pending={save.isPending}>
            {t("connecting.app_save")}
          </PendingButton>
        </Group>
      </Stack>
    </form>
  );
}

interface AppFieldsProps extends AppFormProps {
  /** Message of each refused field. */
  errors: Record<string, string>;
}

function AppFields({ knownId, typed, hasInstagram, onType, errors }: AppFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      {knownId === null && (
        <TextInput
          label={t("connecting.app_id")}
          description={t("connecting.app_id_text")}
          inputMode="numeric"
          required
          withAsterisk={false}
          error={errors["app_id"]}
          value={typed.appId ?? ""}
          onChange={({ currentTarget }) => onType({ appId: currentTarget.value })}
        />
      )}
      <SecretInput
        label={t("connecting.app_secret")}
        description={t("connecting.app_secret_text")}
        required
        withAsterisk={false}
        error={errors["app_secret"]}
        value={typed.appSecret}
        onChange={({ currentTarget }) => onType({ appSecret: currentTarget.value })}
      />
      {hasInstagram && (
        <SecretInput
          label={t("connecting.instagram_secret")}
          description={t("connecting.instagram_secret_text")}
          required
          withAsterisk={false}
          error={errors["instagram_app_secret"]}
          value={typed.instagramSecret}
          onChange={({ currentTarget }) => onType({ instagramSecret: currentTarget.value })}
        />
      )}
    </>
  );
}
