import { Alert, Anchor, Box, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useLocation } from "react-router";
import { PendingButton } from "../../components/pending-button.tsx";
import { errorText } from "../../lib/error-text.ts";
import { linkOptionsQuery } from "../../lib/link-options.ts";
import { sessionQuery } from "../../lib/session.ts";
import { afterLogin } from "../../paths.ts";
import { useLogin } from "./api.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { ForgottenPassword } from "./forgotten-password.tsx";
import { LoginEmail } from "./login-email.tsx";

/** Login page. A person who is logged in is redirected to `next`. */
export function LoginPage() {
  const { t } = useTranslation();
  const { search } = useLocation();
  const session = useQuery(sessionQuery);
  const options = useQuery(linkOptionsQuery);
  const [forgotten, setForgotten] = useState(false);
  // The hook is here and not in the form, so that this page renders again after the login.
  const login = useLogin();
  if (session.data) return <Navigate to={afterLogin(search)} replace />;
  if (forgotten) {
    return (
      <AuthLayout title={t("login.new_password")}>
        <ForgottenPassword onBack={() => setForgotten(false)} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t("login.title")} text={t("login.text")}>
      <LoginForm
        login={login}
        onForgotten={options.data?.mail === true ? () => setForgotten(true) : null}
      />
      {options.data?.mail !== true && (
        <Text size="xs" c="dimmed">
          {t("login.forgot")}
        </Text>
      )}
    </AuthLayout>
  );
}

interface LoginFormProps {
  login: ReturnType<typeof useLogin>;
  /** Null where no mail server could send a link. */
  onForgotten: (() => void) | null;
}

function LoginForm({ login, onForgotten }: LoginFormProps) {
  const { t } = useTranslation();
  const form = useForm({ mode: "uncontrolled", initialValues: { email: "", password: "" } });
  return (
    <form onSubmit={form.onSubmit((credentials) => login.mutate(credentials))}>
      <Stack gap="md">
        <LoginEmail {...form.getInputProps("email")} />
        <Box pos="relative">
          <PasswordInput
            size="md"
            label={t("common.password")}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.getInputProps("password")}
          />
          {onForgotten !== null && (
            <Anchor
              component="button"
              type="button"
              fw={500}
              pos="absolute"
              top={0}
              right={0}
              onClick={onForgotten}
            >
              {t("login.forgot_password")}
            </Anchor>
          )}
        </Box>
        {login.isError && (
          <Alert color="bad" title={t("login.failed")} role="alert">
            {errorText(login.error)}
          </Alert>
        )}
        <PendingButton type="submit" pending={login.isPending} size="md" fullWidth mt="xs">
          {t("login.submit")}
        </PendingButton>
      </Stack>
    </form>
  );
}
