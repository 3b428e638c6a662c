import { Button, Group, Input, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useId, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { maxSteps, type MacroStep } from "../../../../core/model/macro.ts";
import { IconAction } from "../../components/icon-action.tsx";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import { softDisabledButton } from "../../lib/soft-disabled-button.ts";
import { useTeam } from "../../lib/team.ts";
import { newToken } from "../../lib/token.ts";
import { useFocusAfterRow } from "../../lib/use-kept-focus.ts";
import { VariableText } from "./saved-row-form.tsx";

/** Types of a step, in the order of the buttons that add one. */
export const stepTypes = ["reply", "add_tag", "move_to_stage", "assign", "resolve"] as const;
type StepType = (typeof stepTypes)[number];

/** A step in its form. Fields of the other types are empty. */
export interface DraftStep {
  /** Keeps the fields of a step together while steps move. */
  key: string;
  type: StepType;
  text: string;
  tag: string;
  stage_id: string | null;
  to: string | null;
}

/** Values of the form of a macro. */
export interface MacroValues {
  name: string;
  steps: DraftStep[];
  shared: boolean;
}

/** The step in its form; an empty one for a type alone. */
export function draftOf(step: MacroStep | { type: StepType }): DraftStep {
  return {
    key: newToken(),
    type: step.type,
    text: "text" in step ? step.text : "",
    tag: "tag" in step ? step.tag : "",
    stage_id: "stage_id" in step ? String(step.stage_id) : null,
    to: "to" in step ? String(step.to) : "me",
  };
}

/** The step as the API takes it. */
export function stepOf({ type, text, tag, stage_id, to }: DraftStep): MacroStep {
  switch (type) {
    case "reply":
      return { type, text };
    case "add_tag":
      return { type, tag };
    case "move_to_stage":
      return { type, stage_id: Number(stage_id) };
    case "assign":
      return { type, to: to === "me" || to === "nobody" ? to : Number(to) };
    case "resolve":
      return { type };
  }
}

interface MacroStepsProps {
  form: UseFormReturnType<MacroValues>;
}

/** Steps of a macro in their order, and a button for each type of step. */
export function MacroSteps({ form }: MacroStepsProps) {
  const { t } = useTranslation();
  const { steps } = form.values;
  const list = useFocusAfterRow<HTMLDivElement>(steps.length);
  const title = useId();
  // Only the field of a new step takes the focus.
  const [added, setAdded] = useState<string | null>(null);
  const hasStages = usePipelines().length > 0;
  const add = (type: StepType): void => {
    const step = draftOf({ type });
    setAdded(step.key);
    form.insertListItem("steps", step);
    form.clearFieldError("steps");
  };
  const types = stepTypes.filter((type) => hasStages || type !== "move_to_stage");
  return (
    <div role="group" aria-labelledby={title}>
      <Input.Label id={title} labelElement="div">
        {t("macros.steps")}
      </Input.Label>
      <Stack ref={list} tabIndex={-1} gap="xs" style={{ outline: "none" }}>
        {steps.map((step, index) => (
          <Step key={step.key} form={form} index={index} step={step}>
            <StepField form={form} index={index} step={step} autoFocus={step.key === added} />
          </Step>
        ))}
        {steps.length < maxSteps && (
          <Group gap="xs" role="group" aria-label={t("macros.add_step")}>
            {types.map((type) => (
              <Button
                key={type}
                variant="default"
                size="xs"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => add(type)}
              >
                {t(`macros.step.${type}`)}
              </Button>
            ))}
          </Group>
        )}
        {form.errors["steps"] !== undefined && <Input.Error>{form.errors["steps"]}</Input.Error>}
      </Stack>
    </div>
  );
}

interface StepProps extends MacroStepsProps {
  index: number;
  step: DraftStep;
}

function Step({ form, index, step, children }: StepProps & { children: ReactNode }) {
  const { t } = useTranslation();
  const title = t("macros.step_title", { number: index + 1, step: t(`macros.step.${step.type}`) });
  const move = (to: number): void => form.reorderListItem("steps", { from: index, to });
  const last = form.values.steps.length - 1;
  return (
    <Paper withBorder p="xs" role="group" aria-label={title}>
      <Group gap={4} wrap="nowrap">
        <Text flex={1} fw={500}>
          {title}
        </Text>
        <IconAction
          size="var(--parley-control-small)"
          label={t("macros.earlier", { step: title })}
          {...softDisabledButton(index === 0, () => move(index - 1))}
        >
          <IconArrowUp size={16} />
        </IconAction>
        <IconAction
          size="var(--parley-control-small)"
          label={t("macros.later", { step: title })}
          {...softDisabledButton(index === last, () => move(index + 1))}
        >
          <IconArrowDown size={16} />
        </IconAction>
        <IconAction
          size="var(--parley-control-small)"
          label={t("macros.remove_step", { step: title })}
          onClick={() => form.removeListItem("steps", index)}
        >
          <IconTrash size={16} />
        </IconAction>
      </Group>
      {children}
    </Paper>
  );
}

function StepField({ form, index, step, autoFocus }: StepProps & { autoFocus: boolean }) {
  const { t } = useTranslation();
  const field = (name: string) => ({ ...form.getInputProps(`steps.${index}.${name}`), autoFocus });
  switch (step.type) {
    case "reply":
      return <VariableText label={t("macros.text_field")} field={field("text")} />;
    case "add_tag":
      return <TextInput label={t("macros.tag")} required withAsterisk={false} {...field("tag")} />;
    case "move_to_stage":
      return <StageField {...field("stage_id")} />;
    case "assign":
      return <AssigneeField {...field("to")} />;
    case "resolve":
      return null;
  }
}

function StageField(field: object) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("macros.stage")}
      placeholder={t("macros.choose_stage")}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      data={stageOptions(usePipelines())}
      {...field}
    />
  );
}

function AssigneeField(field: object) {
  const { t } = useTranslation();
  const team = useTeam().filter((one) => one.disabled_at === null);
  return (
    <Select
      label={t("macros.assignee")}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      data={[
        { value: "me", label: t("macros.me") },
        { value: "nobody", label: t("inbox.nobody") },
        ...team.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
      {...field}
    />
  );
}
