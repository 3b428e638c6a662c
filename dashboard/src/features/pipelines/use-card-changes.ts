import { useTranslation } from "react-i18next";
import type { PipelineView } from "../../../../core/model/pipeline.ts";
import { tellWithActions } from "../../lib/notify.ts";
import { useChangeCard, useMoveCard, type CardPatch, type ShownBoard } from "./api.ts";
import type { Card } from "./columns.ts";

/** Moves and changes of cards. Each shows a toast with an Undo button. */
export function useCardChanges(pipeline: PipelineView, shown: ShownBoard) {
  const { t } = useTranslation();
  const nameOf = (card: Card): string => card.contact?.name ?? t("inbox.no_contact");
  const offerUndo = (card: Card, message: string, run: () => void): void =>
    tellWithActions({
      id: `card-${card.id}`,
      message,
      actions: [{ label: t("pipelines.undo"), run }],
    });
  const moveBack = useMoveCard(shown);
  const move = useMoveCard(shown, ({ card, from, to }, near) => {
    const stage = pipeline.stages.find(({ id }) => id === to)?.name ?? "";
    offerUndo(card, t("pipelines.moved", { name: nameOf(card), stage }), () =>
      moveBack.mutate({ card, from: to, to: from, near }),
    );
  });
  const changeBack = useChangeCard(shown);
  const change = useChangeCard(shown, ({ card, stageId, body }) => {
    const message = t(`pipelines.done.${body.outcome ?? "value"}`, { name: nameOf(card) });
    offerUndo(card, message, () =>
      changeBack.mutate({ card, stageId, body: inverseOf(card, body) }),
    );
  });
  return { move: move.mutate, change: change.mutate };
}

/** The change that gives a card its old value, or its old outcome with its closing time, again. */
function inverseOf(card: Card, body: CardPatch): CardPatch {
  if (body.outcome === undefined) return { value: card.value };
  const { outcome, closed_at: closedAt } = card;
  const known = closedAt === null ? { outcome } : { outcome, closed_at: closedAt };
  return outcome === "lost" ? { ...known, lost_reason: card.lost_reason ?? "" } : known;
}
