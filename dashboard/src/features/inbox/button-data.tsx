import { Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ListedTemplate } from "./api.ts";
import styles from "./button-data.module.css";

type Placeholder = ListedTemplate["placeholders"][number];

interface ButtonDataProps {
  template: ListedTemplate;
  /** Value, error and listeners of the field of a placeholder. */
  inputOf: (placeholder: Placeholder) => TextInputProps;
}

/**
 * Optional data behind each button that answers. The fields are folded, because only programs read
 * their values.
 */
export function ButtonData({ template, inputOf }: ButtonDataProps) {
  const { t } = useTranslation();
  const fields = template.placeholders.filter(({ kind }) => kind === "payload");
  return (
    <details className={styles["fold"]}>
      <summary>{t("template_data.title")}</summary>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {t("template_data.text")}
        </Text>
        {fields.map((placeholder) => (
          <TextInput
            key={placeholder.key}
            label={t("template_data.label", { name: nameOf(template, placeholder) })}
            maxLength={1_024}
            autoComplete="off"
            dir="auto"
            {...inputOf(placeholder)}
          />
        ))}
      </Stack>
    </details>
  );
}

/** The button's words, or its number, counted from 1. */
function nameOf({ buttons }: ListedTemplate, { key }: Placeholder): string {
  const text = buttons[Number(key) - 1]?.text ?? "";
  return text === "" ? key : text;
}
