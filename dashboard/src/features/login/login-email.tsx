import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** The email of a login, where a password manager finds it. @param input as a form gives them */
export function LoginEmail(input: TextInputProps) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t("common.email")}
      type="email"
      autoComplete="username"
      required
      autoFocus
      withAsterisk={false}
      {...input}
    />
  );
}
