import { Box } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { tellWithActions } from "../../lib/notify.ts";
import { useMoveCard, type CardMove } from "./api.ts";
import { BoardColumn } from "./board-column.tsx";
import styles from "./board.module.css";
import type { Dragged, MoveCard } from "./columns.ts";

/**
 * The stages of a pipeline side by side. A card moves by drag, by its menu, or by Shift and an
 * arrow key.
 */
export function Board({ pipeline }: { pipeline: PipelineView }) {
  const { t } = useTranslation();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [movedId, setMovedId] = useState<number | null>(null);
  const move = useMoveWithUndo(pipeline);
  const moveCard: MoveCard = (card, from, to, near) => {
    setDragged(null);
    setMovedId(card.id);
    move({ card, from, to, near });
  };
  return (
    <Box
      className={styles["board"] ?? ""}
      role="region"
      aria-label={t("pipelines.board")}
      tabIndex={0}
    >
      {pipeline.stages.map((stage) => (
        <BoardColumn
          key={stage.id}
          stage={stage}
          stages={pipeline.stages}
          movedId={movedId}
          dragged={dragged}
          onDrag={setDragged}
          onMove={moveCard}
        />
      ))}
    </Box>
  );
}

/** Moves a card and shows a toast with an Undo button, which restores the old place. */
function useMoveWithUndo(pipeline: PipelineView): (move: CardMove) => void {
  const { t } = useTranslation();
  const undo = useMoveCard();
  const move = useMoveCard(({ card, from, to }, near) => {
    const stage = pipeline.stages.find(({ id }) => id === to)?.name ?? "";
    const name = card.contact?.name ?? t("inbox.no_contact");
    tellWithActions({
      id: `move-${card.id}`,
      message: t("pipelines.moved", { name, stage }),
      actions: [
        {
          label: t("pipelines.undo"),
          run: () => undo.mutate({ card, from: to, to: from, near }),
        },
      ],
    });
  });
  return move.mutate;
}
