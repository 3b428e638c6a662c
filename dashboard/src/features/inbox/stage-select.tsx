import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { PipelineView, StageView } from "../../../../core/model/pipeline.ts";
import { stageOptions } from "../../lib/pipelines.ts";
import styles from "./contact-panel.module.css";
import { useSelectKey } from "./select-key.ts";

interface StageSelectProps {
  stage: StageView | null;
  pipelines: PipelineView[];
  onMove: (to: StageView) => void;
}

/** Field for the contact's stage: the stage of the last move, in any pipeline. */
export function StageSelect({ stage, pipelines, onMove }: StageSelectProps) {
  const { t } = useTranslation();
  const byKey = useSelectKey("s");
  const move = (chosen: string | null): void => {
    const pipeline = pipelines.find((one) => one.stages.some((it) => String(it.id) === chosen));
    const to = pipeline?.stages.find((one) => String(one.id) === chosen);
    if (pipeline === undefined || to === undefined) return;
    const { id: pipeline_id, name: pipeline_name } = pipeline;
    onMove({ pipeline_id, pipeline_name, stage_id: to.id, stage_name: to.name });
  };
  return (
    <Select
      {...byKey}
      size="xs"
      flex={1}
      aria-label={t("inbox.stage")}
      placeholder={t("inbox.no_stage")}
      classNames={{ input: styles["stage"] ?? "" }}
      comboboxProps={{ width: 240, position: "bottom-start" }}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      value={stage === null ? null : String(stage.stage_id)}
      onChange={move}
      data={stageOptions(pipelines)}
    />
  );
}
