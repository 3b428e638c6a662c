import { Paper, Select, Stack, Switch, TagsInput, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { HoursEditor } from "../../components/hours-editor.tsx";
import { officeHours } from "../../lib/weekly-hours.ts";
import type { DraftFieldsProps } from "./draft-values.ts";

const attachmentRules = ["ask", "hand_over"] as const;

/** Rules by which a conversation goes to a person, and the hours in which people answer. */
export function HandoverFields({ form, readOnly }: DraftFieldsProps) {
  const { t } = useTranslation();
  const { team_hours: hours } = form.values;
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.handover")}</Title>
        <TagsInput
          label={t("agent.keywords")}
          description={t("agent.keywords_text")}
          readOnly={readOnly}
          maxTags={100}
          {...form.getInputProps("handover_keywords")}
        />
        <TagsInput
          label={t("agent.tags")}
          description={t("agent.tags_text")}
          readOnly={readOnly}
          maxTags={50}
          {...form.getInputProps("handover_tags")}
        />
        <Select
          label={t("agent.attachments")}
          allowDeselect={false}
          readOnly={readOnly}
          data={attachmentRules.map((value) => ({ value, label: t(`agent.attachment.${value}`) }))}
          {...form.getInputProps("attachments")}
        />
        <Switch
          label={t("agent.has_hours")}
          description={t("agent.has_hours_text")}
          disabled={readOnly}
          checked={hours !== null}
          onChange={({ currentTarget }) =>
            form.setFieldValue("team_hours", currentTarget.checked ? officeHours : null)
          }
        />
        {hours !== null && !readOnly && (
          <HoursEditor hours={hours} onChange={(next) => form.setFieldValue("team_hours", next)} />
        )}
      </Stack>
    </Paper>
  );
}
