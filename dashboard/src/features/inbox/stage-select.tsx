import { Select } from "@mantine/core";
import { createContext, useContext, useRef } from "react";
import { useTranslation } from "react-i18next";
import { stageOptions, usePipelines } from "../../lib/pipelines.ts";
import type { Conversation } from "./api.ts";
import { openSelect } from "./open-select.ts";
import { useConversationChange } from "./use-conversation-change.ts";
import { useShortcuts } from "./use-shortcuts.ts";

/** How a stage is come to by key where there is no room for it beside the thread. */
export const StageDrawer = createContext({
  /** Whether this is the drawer, and was opened to choose the stage. */
  wanted: false,
  open: (): void => undefined,
});

/** Where the contact stands: the stage that it was moved to last, of whatever pipeline. */
export function StageSelect({ conversation: { id, stage } }: { conversation: Conversation }) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  const change = useConversationChange(id);
  const select = useRef<HTMLInputElement>(null);
  const drawer = useContext(StageDrawer);
  useShortcuts({
    s: () => {
      // Beside a narrow thread the panel is hidden, and in the drawer another one is there.
      if (select.current?.offsetParent === null) drawer.open();
      else openSelect(select.current);
    },
  });
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
      ref={select}
      // A drawer gives the focus to what is marked so, or to its first button; a select opens by it.
      data-autofocus={drawer.wanted || undefined}
      onFocus={({ currentTarget }) => drawer.wanted && currentTarget.select()}
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
