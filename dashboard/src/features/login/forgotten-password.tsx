import { Alert, Button, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { useForgottenPassword } from "./api.ts";
import { LoginEmail } from "./login-email.tsx";

/** Form that requests a mail with a link for a new password. */
export function ForgottenPassword({ onBack }: { onBack: () => void }) {
  const { t } = useTranslation();
  const ask = useForgottenPassword();
  const form = useForm({ mode: "uncontrolled", initialValues: { email: "" } });
  return (
    <form onSubmit={form.onSubmit(({ email }) => ask.mutate(email))}>
      <Stack gap="sm">
        <LoginEmail {...form.getInputProps("email")} />
        {ask.isError && (
          <Alert color="bad" role="alert">
            {errorText(ask.error)}
          </Alert>
        )}
        {ask.isSuccess && <Text role="status">{t("login.mailed")}</Text>}
        <PendingButton type="submit" pending={ask.isPending} size="md" fullWidth>
          {t("login.mail_link")}
        </PendingButton>
        <Button variant="subtle" onClick={onBack}>
          {t("link.to_login")}
        </Button>
      </Stack>
    </form>
  );
}
