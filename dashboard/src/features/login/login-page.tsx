import { Alert, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Navigate, useLocation } from "react-router";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { sessionQuery } from "../../lib/session.ts";
import { afterLogin } from "../../paths.ts";
import { useLogin } from "./api.ts";
import { Entrance } from "./entrance.tsx";

/** The login; whoever is logged in goes on to where they were. */
export function LoginPage() {
  const { t } = useTranslation();
  const { search } = useLocation();
  const session = useQuery(sessionQuery);
  const login = useLogin();
  const form = useForm({ mode: "uncontrolled", initialValues: { email: "", password: "" } });
  if (session.data) return <Navigate to={afterLogin(search)} replace />;
  return (
    <Entrance title={t("login.title")}>
      <form onSubmit={form.onSubmit((credentials) => login.mutate(credentials))}>
        <Stack gap="sm">
          <TextInput
            label={t("common.email")}
            type="email"
            autoComplete="username"
            required
            autoFocus
            withAsterisk={false}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label={t("common.password")}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.getInputProps("password")}
          />
          {login.isError && (
            <Alert color="red" title={t("login.failed")} role="alert">
              {errorText(login.error)}
            </Alert>
          )}
          <PendingButton type="submit" pending={login.isPending} fullWidth mt="xs">
            {t("login.submit")}
          </PendingButton>
        </Stack>
      </form>
      <Text size="xs" c="dimmed">
        {t("login.forgot")}
      </Text>
    </Entrance>
  );
}
