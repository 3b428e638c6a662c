import { Alert, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router";
import { minPasswordLength } from "../../../../core/model/user.ts";
import { LoadingRows } from "../../components/load-states.tsx";
import { PendingButton } from "../../components/pending-button.tsx";
import { ApiError, isGone } from "../../lib/api.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { paths } from "../../paths.ts";
import { readLink, useAcceptLink, type LinkFacts } from "./api.ts";
import { AuthLayout } from "./auth-layout.tsx";

/** Page of a one-time link: an invitation, or a new password. */
export function LinkPage() {
  const { t } = useTranslation();
  const token = useLinkToken();
  const link = useQuery({
    queryKey: ["link", token],
    queryFn: async () => await readLink(token),
    // Never refetched, so that a half-filled form stays. The API checks the link again on submit.
    staleTime: Infinity,
  });
  if (link.isPending) return <LoadingRows />;
  if (link.data === undefined) return <NotRead {...link} />;
  return (
    <AuthLayout
      title={t(`link_page.${link.data.kind}`, { account: link.data.account_name })}
      text={t("link_page.for", { email: link.data.email })}
    >
      <LinkForm token={token} link={link.data} />
    </AuthLayout>
  );
}

const tokenKey = "parley.link_token";

/**
 * The token of the link. It is in the fragment of the URL, so no server or proxy log sees it. The
 * hook removes it from the URL, and so from the browser's history, at once. This tab stores it for
 * a reload.
 */
function useLinkToken(): string {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const given = new URLSearchParams(hash.slice(1)).get("token");
  useEffect(() => {
    if (given === null) return;
    sessionStorage.setItem(tokenKey, given);
    void navigate(pathname, { replace: true });
  }, [given, navigate, pathname]);
  return given ?? sessionStorage.getItem(tokenKey) ?? "";
}

/** Called after the link was used. */
function forgetLinkToken(): void {
  sessionStorage.removeItem(tokenKey);
}

interface NotReadProps {
  error: Error | null;
  refetch: () => unknown;
  isFetching: boolean;
}

/** Page for an invalid link, or for a link that could not be read just now. */
function NotRead({ error, refetch, isFetching }: NotReadProps) {
  const { t } = useTranslation();
  const opensNothing =
    isGone(error) || (error instanceof ApiError && error.code === "validation_error");
  return (
    <AuthLayout title={t(opensNothing ? "link_page.none" : "common.load_failed")}>
      <Text role="alert">{errorText(error)}</Text>
      {opensNothing ? (
        <Button component={Link} to={paths.login} variant="default">
          {t("link.to_login")}
        </Button>
      ) : (
        <PendingButton pending={isFetching} onClick={() => void refetch()} variant="default">
          {t("common.retry")}
        </PendingButton>
      )}
    </AuthLayout>
  );
}

function LinkForm({ token, link }: { token: string; link: LinkFacts }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const accept = useAcceptLink();
  const [hasLogin, setHasLogin] = useState(false);
  const isNew = link.needs_password === "new" && !hasLogin;
  // A link that proves no email address must not reveal if a login exists. So the reader says it.
  const asksIfKnown =
    link.kind === "invitation" && link.needs_password === "new" && !link.proves_email;
  const asksName = isNew && link.kind === "invitation";
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { name: link.name ?? "", password: "" },
  });
  const send = form.onSubmit(({ name, password }) => {
    const answer = {
      token,
      password,
      ...(asksName ? { name } : {}),
      ...(hasLogin ? { existing: true } : {}),
    };
    accept.mutate(answer, {
      onSuccess: () => {
        forgetLinkToken();
        void navigate(paths.inbox, { replace: true });
      },
      onError: (error) => form.setErrors(fieldErrors(error)),
    });
  });
  return (
    <form onSubmit={send}>
      <Stack gap="sm">
        {asksName && (
          <TextInput
            size="md"
            label={t("link_page.your_name")}
            autoComplete="name"
            required
            withAsterisk={false}
            {...form.getInputProps("name")}
          />
        )}
        <LinkPassword isNew={isNew} field={form.getInputProps("password")} />
        {accept.isError && (
          <Alert color="bad" role="alert">
            {errorText(accept.error)}
          </Alert>
        )}
        <PendingButton type="submit" pending={accept.isPending} size="md" fullWidth mt="xs">
          {t(`link_page.submit_${link.kind}`)}
        </PendingButton>
        {asksIfKnown && <LoginChoice hasLogin={hasLogin} onChange={setHasLogin} />}
      </Stack>
    </form>
  );
}

interface LoginChoiceProps {
  hasLogin: boolean;
  onChange: (hasLogin: boolean) => void;
}

function LoginChoice({ hasLogin, onChange }: LoginChoiceProps) {
  const { t } = useTranslation();
  return (
    <Button variant="subtle" onClick={() => onChange(!hasLogin)}>
      {t(hasLogin ? "link_page.i_am_new" : "link_page.i_have_login")}
    </Button>
  );
}

function LinkPassword({ isNew, field }: { isNew: boolean; field: object }) {
  const { t } = useTranslation();
  return (
    <PasswordInput
      size="md"
      label={t(isNew ? "link_page.new_password" : "link_page.own_password")}
      description={
        isNew
          ? t("link_page.new_password_hint", { count: minPasswordLength })
          : t("link_page.own_password_hint")
      }
      autoComplete={isNew ? "new-password" : "current-password"}
      minLength={isNew ? minPasswordLength : 1}
      required
      withAsterisk={false}
      {...field}
    />
  );
}
