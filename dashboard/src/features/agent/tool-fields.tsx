import { Checkbox, MultiSelect, Paper, Stack, Title } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { optionalTools } from "../../../../core/model/agent.ts";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import type { DraftFieldsProps } from "./draft-values.ts";

/** Tools that the agent may use, and the stages to which it may move a contact. */
export function ToolFields({ form, readOnly }: DraftFieldsProps) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={2}>{t("agent.tools")}</Title>
        <Checkbox.Group
          label={t("agent.may")}
          description={t("agent.may_text")}
          {...form.getInputProps("tools")}
        >
          <Stack gap={8} mt="xs">
            {optionalTools.map((tool) => (
              <Checkbox
                key={tool}
                value={tool}
                label={t(`agent.tool.${tool}`)}
                disabled={readOnly}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        {form.values.tools.includes("move_stage") && (
          <MultiSelect
            label={t("agent.stages")}
            description={t("agent.stages_text")}
            searchable
            readOnly={readOnly}
            nothingFoundMessage={t("palette.nothing")}
            data={stageOptions(pipelines)}
            {...form.getInputProps("allowed_stage_ids")}
          />
        )}
      </Stack>
    </Paper>
  );
}
