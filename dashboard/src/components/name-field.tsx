import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

/** Field for the name of a thing, which it must have. It is the first field of its dialog. */
export function NameField(props: TextInputProps) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t("common.name")}
      required
      withAsterisk={false}
      maxLength={200}
      data-autofocus
      {...props}
    />
  );
}
