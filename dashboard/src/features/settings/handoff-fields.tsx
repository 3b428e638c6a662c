import { List, NumberInput, Paper, SimpleGrid, Stack, Switch, Text, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { hourMs, minuteMs } from "../../../../core/model/durations.ts";
import {
  listUnansweredSteps,
  maxHandoffMinutes,
  maxReturnHours,
} from "../../../../core/model/workflow/handoff.ts";
import type { AccountValues, FieldsProps } from "./account-values.ts";

/** Settings of handoffs: when the AI agent pauses, and the times that follow. */
export function HandoffFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("settings.handoff")}</Title>
        <Switch
          label={t("settings.pause_on_human_reply")}
          description={t("settings.pause_on_human_reply_text")}
          disabled={readOnly}
          {...form.getInputProps("pause_on_human_reply", { type: "checkbox" })}
        />
        <Text size="sm" c="dimmed">
          {t("settings.handoff_text")}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <TimeInput form={form} readOnly={readOnly} field="handoff_remind_minutes" />
          <TimeInput form={form} readOnly={readOnly} field="handoff_escalate_minutes" />
          <TimeInput form={form} readOnly={readOnly} field="handoff_return_hours" />
        </SimpleGrid>
        <Preview values={form.values} />
      </Stack>
    </Paper>
  );
}

type TimeField = "handoff_remind_minutes" | "handoff_escalate_minutes" | "handoff_return_hours";

function TimeInput({ form, readOnly, field }: FieldsProps & { field: TimeField }) {
  const { t } = useTranslation();
  const never = field === "handoff_return_hours";
  return (
    <NumberInput
      label={t(`settings.${field}`)}
      placeholder={never ? t("settings.never") : ""}
      min={1}
      max={never ? maxReturnHours : maxHandoffMinutes}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      hideControls
      readOnly={readOnly}
      {...form.getInputProps(field)}
    />
  );
}

/**
 * Steps of an unanswered handoff with their times, in order. The handoff workflow uses the same
 * function.
 */
function Preview({ values }: { values: AccountValues }) {
  const { t } = useTranslation();
  const [remind, escalate] = [values.handoff_remind_minutes, values.handoff_escalate_minutes];
  const hours = values.handoff_return_hours;
  const given = [remind, escalate, hours === "" ? 1 : hours];
  if (!given.every((one) => Number.isInteger(one) && Number(one) > 0)) return null;
  const returnMs = hours === "" ? null : Number(hours) * hourMs;
  const atMs = { remind: Number(remind) * minuteMs, escalate: Number(escalate) * minuteMs };
  const steps = listUnansweredSteps({
    remindMs: atMs.remind,
    escalateMs: atMs.escalate,
    returnMs,
  });
  return (
    <List size="sm" type="ordered" aria-label={t("settings.preview")}>
      {steps.map(({ step }) => (
        <List.Item key={step}>
          {t(`settings.step.${step}`, { time: spanText(atMs[step], t) })}
        </List.Item>
      ))}
      <List.Item>
        {returnMs === null
          ? t("settings.step.stays")
          : t("settings.step.return", { time: spanText(returnMs, t) })}
      </List.Item>
    </List>
  );
}

/** `1 h 30 min`, `2 d`; the units are the same in both languages. */
function spanText(ms: number, t: (key: "settings.day_unit") => string): string {
  const minutes = Math.round(ms / minuteMs);
  const parts: [number, string][] = [
    [Math.floor(minutes / 1_440), t("settings.day_unit")],
    [Math.floor((minutes % 1_440) / 60), "h"],
    [minutes % 60, "min"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
