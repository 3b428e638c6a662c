import { Select, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { locales, type Locale } from "../../../../core/model/user.ts";
import type { CannedAnswerView } from "../../../../core/model/views/canned-answer.ts";
import { SavedRowDialog, useVariableCheck, VariableText } from "./saved-row-form.tsx";
import type { SavedRowFormProps } from "./saved-row-form.tsx";
import { cannedAnswers } from "./saved-rows-api.ts";
import { SavedRowsSection } from "./saved-rows.tsx";

/** Section of the settings with the canned answers. */
export function CannedAnswers() {
  const { t } = useTranslation();
  return (
    <SavedRowsSection
      rows={cannedAnswers}
      id="canned-answers"
      nameOf={({ shortcut }) => `/${shortcut}`}
      columns={[
        {
          title: t("canned.answer"),
          cell: ({ text }) => (
            <Text size="sm" lineClamp={2} dir="auto">
              {text}
            </Text>
          ),
        },
        {
          title: t("settings.language"),
          cell: ({ locale }) => t(`canned.locale.${locale ?? "any"}`),
        },
      ]}
      form={(row, onClose) => <CannedAnswerForm row={row} onClose={onClose} />}
    />
  );
}

function CannedAnswerForm({ row, onClose }: SavedRowFormProps<CannedAnswerView>) {
  const { t } = useTranslation();
  const form = useForm({
    mode: "uncontrolled",
    initialValues: {
      shortcut: row?.shortcut ?? "",
      text: row?.text ?? "",
      locale: (row?.locale ?? "any") as Locale | "any",
      shared: row?.shared ?? false,
    },
    validate: { text: useVariableCheck() },
  });
  return (
    <SavedRowDialog
      rows={cannedAnswers}
      row={row}
      form={form}
      onClose={onClose}
      bodyOf={({ shortcut, locale, ...rest }) => ({
        ...rest,
        // People type the slash that they will use.
        shortcut: shortcut.trim().replace(/^\//u, ""),
        locale: locale === "any" ? null : locale,
      })}
    >
      <TextInput
        label={t("canned.name")}
        description={t("canned.shortcut_text")}
        leftSection="/"
        required
        withAsterisk={false}
        maxLength={41}
        data-autofocus
        {...form.getInputProps("shortcut")}
      />
      <VariableText label={t("canned.answer")} field={form.getInputProps("text")} />
      <Select
        label={t("canned.language")}
        allowDeselect={false}
        data={(["any", ...locales] as const).map((value) => ({
          value,
          label: t(`canned.locale.${value}`),
        }))}
        {...form.getInputProps("locale")}
      />
    </SavedRowDialog>
  );
}
