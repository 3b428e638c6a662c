import { Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { PipelineView, StageView } from "../../../../core/model/pipeline.ts";
import type { ContactCard } from "../../lib/contact.ts";
import { usePipelines } from "../../lib/pipelines.ts";
import { useNow } from "../../lib/time.ts";
import type { Conversation } from "./api.ts";
import styles from "./contact-panel.module.css";
import { StageSelect } from "./stage-select.tsx";
import { useConversationChange } from "./use-conversation-change.ts";

interface StageBlockProps {
  conversation: Conversation;
  card: ContactCard;
}

/** Stage of the contact: its name, and the way through the pipeline. A click on a step moves. */
export function StageBlock({ conversation: { id, stage }, card }: StageBlockProps) {
  const { t } = useTranslation();
  const pipelines = usePipelines();
  const change = useConversationChange(id);
  const pipeline =
    pipelines.find((one) => one.id === stage?.pipeline_id) ??
    pipelines.find((one) => one.default) ??
    pipelines[0];
  if (pipeline === undefined) return null;
  const move = (to: StageView): void => change.mutate({ type: "stage", stage: to });
  const at = pipeline.stages.findIndex((one) => one.id === stage?.stage_id);
  const of = pipeline.stages.length;
  return (
    <div className={styles["block"]}>
      <div className={styles["blockHead"]}>
        <StageSelect stage={stage} pipelines={pipelines} onMove={move} />
        {at >= 0 && (
          <Text span size="xs" c="dimmed">
            {t("contact.step", { at: at + 1, of })}
          </Text>
        )}
      </div>
      <Path pipeline={pipeline} at={at} onMove={move} />
      <div className={styles["pathFoot"]}>
        <span dir="auto">{pipeline.name}</span>
        <InStage stage={stage} card={card} />
      </div>
    </div>
  );
}

interface PathProps {
  pipeline: PipelineView;
  /** Place of the present stage; -1 where the contact has none. */
  at: number;
  onMove: (to: StageView) => void;
}

function Path({ pipeline, at, onMove }: PathProps) {
  const { t } = useTranslation();
  const present = pipeline.stages[at];
  return (
    <div
      className={styles["path"]}
      role="group"
      aria-label={pipeline.name}
      data-hue={present?.hue ?? "slate"}
    >
      {pipeline.stages.map(({ id, name }, place) => (
        <Tooltip key={id} label={name}>
          <UnstyledButton
            className={styles["step"] ?? ""}
            data-step={place < at ? "passed" : place === at ? "present" : "ahead"}
            aria-current={place === at ? "step" : undefined}
            aria-label={place === at ? name : t("contact.move_to", { stage: name })}
            onClick={() => {
              if (place === at) return;
              const { id: pipeline_id, name: pipeline_name } = pipeline;
              onMove({ pipeline_id, pipeline_name, stage_id: id, stage_name: name });
            }}
          />
        </Tooltip>
      ))}
    </div>
  );
}

/** Time since the contact entered the stage; nothing until the server has confirmed a move. */
function InStage({ stage, card }: { stage: StageView | null; card: ContactCard }) {
  const { t } = useTranslation();
  const now = useNow(60_000);
  const entered = card.stages.find((one) => one.stage_id === stage?.stage_id);
  if (entered === undefined) return null;
  const days = Math.floor((now - new Date(entered.moved_at).getTime()) / 86_400_000);
  return (
    <span>{days < 1 ? t("contact.stage_today") : t("contact.days_in_stage", { count: days })}</span>
  );
}
