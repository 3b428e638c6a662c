import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import type { MacroView } from "../../../../core/model/views/macro.ts";
import { draftOf, MacroSteps, stepOf, type DraftStep, type MacroValues } from "./macro-steps.tsx";
import { SavedRowDialog, useVariableCheck, type SavedRowFormProps } from "./saved-row-form.tsx";
import { macros } from "./saved-rows-api.ts";
import { SavedRowsSection } from "./saved-rows.tsx";

/** Section of the settings with the macros. */
export function Macros() {
  const { t } = useTranslation();
  return (
    <SavedRowsSection
      rows={macros}
      id="macros"
      nameOf={({ name }) => name}
      columns={[
        {
          title: t("macros.steps"),
          cell: ({ steps }) => steps.map(({ type }) => t(`macros.step.${type}`)).join(", "),
        },
      ]}
      form={(row, onClose) => <MacroForm row={row} onClose={onClose} />}
    />
  );
}

function MacroForm({ row, onClose }: SavedRowFormProps<MacroView>) {
  const { t } = useTranslation();
  const errorsOf = useStepErrors();
  const form = useForm<MacroValues>({
    initialValues: {
      name: row?.name ?? "",
      steps: row?.steps.map(draftOf) ?? [],
      shared: row?.shared ?? false,
    },
    validate: ({ steps }) => errorsOf(steps),
  });
  return (
    <SavedRowDialog
      rows={macros}
      row={row}
      form={form}
      onClose={onClose}
      bodyOf={({ steps, ...rest }) => ({ ...rest, steps: steps.map(stepOf) })}
    >
      <TextInput
        label={t("macros.name")}
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <MacroSteps form={form} />
    </SavedRowDialog>
  );
}

/** Errors of steps that the API cannot say better, by the path of the field. */
function useStepErrors() {
  const { t } = useTranslation();
  const checkText = useVariableCheck();
  return (steps: DraftStep[]): Record<string, string | null> => {
    const errors = steps.flatMap(({ type, text, stage_id }, index) => [
      [`steps.${index}.text`, checkText(text)],
      [
        `steps.${index}.stage_id`,
        type === "move_to_stage" && stage_id === null ? t("macros.choose_stage") : null,
      ],
    ]);
    return {
      steps: steps.length === 0 ? t("macros.no_steps") : null,
      ...(Object.fromEntries(errors) as Record<string, string | null>),
    };
  };
}
