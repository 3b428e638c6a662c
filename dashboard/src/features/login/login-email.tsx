import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Email field of a login, marked for password managers. @param input props of the form library */
export function LoginEmail(input: TextInputProps) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t("common.email")}
      size="md"
      type="email"
      autoComplete="username"
      required
      autoFocus
      withAsterisk={false}
      {...input}
    />
  );
}
