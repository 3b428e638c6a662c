import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** Field for a secret. No password manager offers to keep it. */
export function SecretInput(props: PasswordInputProps) {
  return <PasswordInput autoComplete="off" data-1p-ignore data-lpignore="true" {...props} />;
}
