import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callApi } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";
import { tellFailure } from "../../lib/notify.ts";
import { moveConversation } from "../../lib/pipelines.ts";
import {
  cardsOf,
  nearOf,
  withCard,
  withoutCard,
  type Card,
  type CardPage,
  type Column,
  type Near,
} from "./columns.ts";

/** The cards of a stage from top to bottom, page by page. */
export function columnQuery(stageId: number) {
  return infiniteQueryOptions<CardPage, Error, Column, readonly unknown[], string | null>({
    queryKey: [...liveKeys.board, stageId],
    queryFn: async ({ pageParam, client, signal }) => {
      // A read during a move could show the card in its old place, or in two columns at once.
      await mutationsDone(client, moveKey, signal);
      const query = { limit: 20, cursor: pageParam ?? undefined };
      return await callApi("GET /stages/:id/cards", { id: stageId, query });
    },
    initialPageParam: null,
    getNextPageParam: ({ meta }) => meta.next,
  });
}

/** Move of a card between stages, or within one. */
export interface CardMove {
  card: Card;
  from: number;
  to: number;
  /** Neighbour of the new place; null for the top. */
  near: Near | null;
}

const moveKey = ["move-card"];

/**
 * Moves a card. The board shows the move at once. A refusal reverts it and shows the reason. @param
 * onMoved runs after each move, with the neighbour that leads back to the old place
 */
export function useMoveCard(onMoved?: (move: CardMove, back: Near | null) => void) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const put = (card: Card, from: number, to: number, near: Near | null): void => {
    // A column that is not loaded has no place for the card. Until it is loaded, the card stays
    // where it was.
    if (client.getQueryData(columnQuery(to).queryKey) === undefined) return;
    client.setQueryData(columnQuery(from).queryKey, (column) => withoutCard(column, card));
    client.setQueryData(columnQuery(to).queryKey, (column) => withCard(column, card, near));
  };
  return useMutation({
    mutationKey: moveKey,
    mutationFn: async ({ card, to, near }: CardMove) =>
      await moveConversation(card.id, { stage_id: to, ...near }),
    onMutate: async ({ card, from, to, near }) => {
      await client.cancelQueries({ queryKey: liveKeys.board });
      const back = nearOf(cardsOf(client.getQueryData(columnQuery(from).queryKey)), card);
      put(card, from, to, near);
      return { back };
    },
    onSuccess: (_moved, move, { back }) => onMoved?.(move, back),
    onError: (error, { card, from, to }, known) => {
      // Reverts this card only, and only where it still is: other cards, or this one, may have
      // moved since.
      const there = cardsOf(client.getQueryData(columnQuery(to).queryKey));
      const stands = there.some(({ id }) => id === card.id);
      if (known !== undefined && stands) put(card, to, from, known.back);
      tellFailure(t("pipelines.not_moved"), error);
    },
    // Not awaited, because the columns themselves wait for the end of this move.
    onSettled: () => {
      void client.invalidateQueries({ queryKey: liveKeys.board });
      void client.invalidateQueries({ queryKey: liveKeys.pipelines });
    },
  });
}

/** Changes pipelines and their stages, by a call of the API. */
export function useArrange() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async (call: () => Promise<{ id: number }>) => await call(),
    onError: (error) => tellFailure(t("pipelines.not_changed"), error),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.pipelines }),
  });
}
