import {
  Group,
  NumberInput,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hourMs } from "../../../../core/model/durations.ts";
import {
  findUnknownPlaceholder,
  maxReminderHours,
  maxReminderLength,
  renderReminder,
} from "../../../../core/model/reminder.ts";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import type { AccountValues, FieldsProps } from "./account-values.ts";

/** Settings of bookings: the stage after a booking, and the reminder. */
export function BookingFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  const reminds = form.values.reminder_hours_before !== "";
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("settings.booking")}</Title>
        <Select
          label={t("settings.booking_stage")}
          description={t("settings.booking_stage_text")}
          placeholder={t("settings.no_booking_stage")}
          clearable={!readOnly}
          searchable
          nothingFoundMessage={t("palette.nothing")}
          readOnly={readOnly}
          data={stageOptions(pipelines)}
          {...form.getInputProps("booking_stage_id")}
        />
        <NumberInput
          label={t("settings.reminder_hours_before")}
          description={t("settings.reminder_hours_before_text")}
          placeholder={t("settings.never")}
          min={1}
          max={maxReminderHours}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
          hideControls
          readOnly={readOnly}
          {...form.getInputProps("reminder_hours_before")}
        />
        {reminds && <ReminderFields form={form} readOnly={readOnly} />}
      </Stack>
    </Paper>
  );
}

function ReminderFields({ form, readOnly }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Textarea
        label={t("settings.reminder_text")}
        description={t("settings.reminder_text_text")}
        autosize
        minRows={2}
        maxLength={maxReminderLength}
        readOnly={readOnly}
        {...form.getInputProps("reminder_text")}
      />
      <ReminderPreview values={form.values} />
      <Group grow align="flex-start">
        <TextInput
          label={t("settings.reminder_template")}
          description={t("settings.reminder_template_text")}
          maxLength={512}
          readOnly={readOnly}
          {...form.getInputProps("reminder_template.name")}
        />
        <TextInput
          label={t("composer.language")}
          description={t("composer.language_text")}
          readOnly={readOnly}
          {...form.getInputProps("reminder_template.language")}
        />
      </Group>
    </>
  );
}

/** Preview of the reminder for an appointment tomorrow. */
function ReminderPreview({ values }: { values: AccountValues }) {
  const { t } = useTranslation();
  const [startTime] = useState(() => new Date(Math.ceil(Date.now() / hourMs + 24) * hourMs));
  const { reminder_text: text, time_zone: timeZone, locale } = values;
  if (findUnknownPlaceholder(text) !== undefined) return null;
  const facts = { name: "Ana", startTime, timeZone, locale };
  return (
    <Text size="sm" c="dimmed">
      {t("settings.reminder_preview", {
        text: renderReminder(text.trim() === "" ? null : text, facts),
      })}
    </Text>
  );
}
