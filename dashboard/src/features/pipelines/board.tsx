import { Button, Select } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import type { BoardTotals, PipelineView } from "../../../../core/model/pipeline.ts";
import { Empty } from "../../components/empty.tsx";
import { totalsQuery, type CardPatch, type ShownBoard } from "./api.ts";
import { BoardColumn } from "./board-column.tsx";
import { BoardTools } from "./board-tools.tsx";
import { useBoardQuery } from "./board-query.ts";
import styles from "./board.module.css";
import type { CardActions } from "./card-menu.tsx";
import { sumOf, type Card, type Dragged, type Stage } from "./columns.ts";
import { LostModal } from "./lost-modal.tsx";
import { MoreStages, useHiddenStages } from "./more-stages.tsx";
import { useCardChanges } from "./use-card-changes.ts";
import { ValueModal } from "./value-modal.tsx";

/** The stages of a pipeline side by side, with filters; on a phone one stage at a time. */
export function Board({ pipeline }: { pipeline: PipelineView }) {
  const { t } = useTranslation();
  const { filter, isNarrowed, set, clear } = useBoardQuery();
  const shown: ShownBoard = { pipelineId: pipeline.id, filter };
  const { data: totals } = useQuery(totalsQuery(pipeline.id, filter));
  const isPhone = useMediaQuery("(max-width: 47.99em)") === true;
  const isEmpty = totals !== undefined && sumOf(totals).cards === 0;
  const hasNothing = isEmpty && (isNarrowed || filter.outcome !== "open");
  return (
    <div className={styles["area"]}>
      <BoardTools filter={filter} isNarrowed={isNarrowed} totals={totals} set={set} clear={clear} />
      {hasNothing ? (
        <Empty
          title={t(isNarrowed ? "pipelines.no_match" : `pipelines.none.${filter.outcome}`)}
          text={t(isNarrowed ? "pipelines.no_match_text" : "pipelines.none.text")}
          action={
            isNarrowed && (
              <Button variant="default" onClick={clear}>
                {t("pipelines.clear")}
              </Button>
            )
          }
        />
      ) : (
        <Columns pipeline={pipeline} shown={shown} totals={totals} isPhone={isPhone} />
      )}
    </div>
  );
}

interface ColumnsProps {
  pipeline: PipelineView;
  shown: ShownBoard;
  totals: BoardTotals | undefined;
  isPhone: boolean;
}

/** A dialog about a card. */
interface Asked {
  about: "value" | "lost";
  card: Card;
  stageId: number;
}

function Columns({ pipeline, shown, totals, isPhone }: ColumnsProps) {
  const { t } = useTranslation();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [movedId, setMovedId] = useState<number | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const changes = useCardChanges(pipeline, shown);
  const { ref, look, hidden } = useHiddenStages();
  const [stage, chooser] = useOneStage(pipeline.stages, totals);
  const actions: CardActions = {
    move: (card, from, to, near) => {
      setDragged(null);
      setMovedId(card.id);
      changes.move({ card, from, to, near });
    },
    askValue: (card, stageId) => setAsked({ about: "value", card, stageId }),
    askLost: (card, stageId) => setAsked({ about: "lost", card, stageId }),
    win: (card, stageId) => changes.change({ card, stageId, body: { outcome: "won" } }),
    reopen: (card, stageId) => changes.change({ card, stageId, body: { outcome: "open" } }),
  };
  return (
    <>
      {isPhone && chooser}
      <div className={styles["frame"]}>
        <section
          ref={ref}
          className={styles["board"]}
          aria-label={t("pipelines.board")}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          onScroll={look}
        >
          {(isPhone ? [stage] : pipeline.stages).map((one) => (
            <BoardColumn
              key={one.id}
              stage={one}
              stages={pipeline.stages}
              filter={shown.filter}
              totals={totals?.stages.find(({ stage_id: id }) => id === one.id)}
              canDrag={!isPhone && shown.filter.outcome === "open"}
              movedId={movedId}
              dragged={dragged}
              onDrag={setDragged}
              actions={actions}
            />
          ))}
        </section>
        {!isPhone && <MoreStages board={ref} hidden={hidden} />}
      </div>
      {asked !== null && (
        <CardDialog
          {...asked}
          reasons={pipeline.lost_reasons}
          onClose={() => setAsked(null)}
          onSave={(body) => changes.change({ ...asked, body })}
        />
      )}
    </>
  );
}

interface CardDialogProps extends Asked {
  reasons: string[];
  onClose: () => void;
  onSave: (body: CardPatch) => void;
}

function CardDialog({ about, card, reasons, onClose, onSave }: CardDialogProps) {
  if (about === "value") {
    return <ValueModal card={card} onClose={onClose} onSave={(value) => onSave({ value })} />;
  }
  return (
    <LostModal
      card={card}
      reasons={reasons}
      onClose={onClose}
      onSave={(reason) => onSave({ outcome: "lost", lost_reason: reason })}
    />
  );
}

/** The stage that a phone shows, and the field that chooses it. The URL keeps the choice. */
function useOneStage(stages: Stage[], totals: BoardTotals | undefined) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const stage = stages.find(({ id }) => String(id) === params.get("stage")) ?? stages[0];
  if (stage === undefined) throw new Error("A pipeline has at least one stage.");
  const cardsIn = (id: number) => totals?.stages.find((one) => one.stage_id === id)?.cards;
  const choose = (id: string | null): void => {
    if (id === null) return;
    const next = new URLSearchParams(params);
    next.set("stage", id);
    setParams(next, { replace: true });
  };
  const chooser = (
    <Select
      className={styles["chooser"] ?? ""}
      aria-label={t("inbox.stage")}
      allowDeselect={false}
      value={String(stage.id)}
      onChange={choose}
      data={stages.map(({ id, name }) => ({
        value: String(id),
        label: `${name} (${cardsIn(id) ?? "…"})`,
      }))}
    />
  );
  return [stage, chooser] as const;
}
