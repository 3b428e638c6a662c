import { Select } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import type { Conversation } from "./api.ts";
import { useSelectKey } from "./select-key.ts";
import { useConversationChange } from "./use-conversation-change.ts";

/** Field for the contact's stage: the stage of the last move, in any pipeline. */
export function StageSelect({ conversation: { id, stage } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  const change = useConversationChange(id);
  const byKey = useSelectKey("s");
  if (pipelines.length === 0) return null;
  const move = (chosen: string | null): void => {
    const pipeline = pipelines.find((one) => one.stages.some((it) => String(it.id) === chosen));
    const to = pipeline?.stages.find((one) => String(one.id) === chosen);
    if (pipeline === undefined || to === undefined) return;
    const names = { pipeline_name: pipeline.name, stage_name: to.name };
    change.mutate({
      type: "stage",
      stage: { pipeline_id: pipeline.id, stage_id: to.id, ...names },
    });
  };
  return (
    <Select
      {...byKey}
      label={t("inbox.stage")}
      placeholder={t("inbox.no_stage")}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("palette.nothing")}
      value={stage === null ? null : String(stage.stage_id)}
      onChange={move}
      data={stageOptions(pipelines)}
    />
  );
}
