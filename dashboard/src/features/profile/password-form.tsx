import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { minPasswordLength } from "../../../../core/model/user.ts";
import { PendingButton } from "../../components/pending-button.tsx";
import { ApiError } from "../../lib/api.ts";
import { errorText, fieldErrors } from "../../lib/error-text.ts";
import { tellDone } from "../../lib/notify.ts";
import { useChangePassword } from "./api.ts";

/** Form that changes the user's password. */
export function PasswordForm() {
  const { t } = useTranslation();
  const change = useChangePassword();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { current_password: "", new_password: "" },
  });
  const send = form.onSubmit((body) => {
    change.mutate(body, {
      onSuccess: () => {
        form.reset();
        tellDone(t("profile.password_changed"));
      },
      onError: (error) => form.setErrors(errorsOf(error)),
    });
  });
  return (
    <form onSubmit={send}>
      <Stack gap="sm" align="flex-start">
        <Text c="dimmed" size="sm">
          {t("profile.password_text")}
        </Text>
        <PasswordInput
          w="100%"
          label={t("profile.current_password")}
          autoComplete="current-password"
          required
          withAsterisk={false}
          key={form.key("current_password")}
          {...form.getInputProps("current_password")}
        />
        <PasswordInput
          w="100%"
          label={t("profile.new_password")}
          description={t("link_page.new_password_hint", { count: minPasswordLength })}
          autoComplete="new-password"
          minLength={minPasswordLength}
          required
          withAsterisk={false}
          key={form.key("new_password")}
          {...form.getInputProps("new_password")}
        />
        <PendingButton type="submit" variant="default" pending={change.isPending}>
          {t("profile.change_password")}
        </PendingButton>
      </Stack>
    </form>
  );
}

/** Error message per field. A wrong password belongs to the field of the current password. */
function errorsOf(error: unknown): Record<string, string> {
  const fields = fieldErrors(error);
  if (Object.keys(fields).length > 0) return fields;
  const wrong = error instanceof ApiError && error.code === "wrong_password";
  return { [wrong ? "current_password" : "new_password"]: errorText(error) };
}
