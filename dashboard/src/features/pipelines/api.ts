import {
  infiniteQueryOptions,
  keepPreviousData,
  notifyManager,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { callApi, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";
import { tellFailure } from "../../lib/notify.ts";
import { moveConversation } from "../../lib/pipelines.ts";
import type { BoardQuery } from "./board-query.ts";
import {
  cardsOf,
  nearOf,
  totalsAfter,
  withCard,
  withoutCard,
  type Card,
  type CardPage,
  type Column,
  type Near,
} from "./columns.ts";

async function readCards(stageId: number, filter: BoardQuery, after: string | null) {
  const query = { ...filter, limit: 20, cursor: after ?? undefined };
  return await callApi("GET /stages/:id/cards", { id: stageId, query });
}

/** The cards of a stage from top to bottom, page by page. */
export function columnQuery(stageId: number, filter: BoardQuery) {
  return infiniteQueryOptions<CardPage, Error, Column, readonly unknown[], string | null>({
    queryKey: [...liveKeys.board, "column", stageId, filter],
    queryFn: async ({ pageParam, client, signal }) => {
      // A read during a move could show the card in its old place, or in two columns at once.
      await mutationsDone(client, moveKey, signal);
      return await readCards(stageId, filter, pageParam);
    },
    initialPageParam: null,
    getNextPageParam: ({ meta }) => meta.next,
  });
}

/** Number and value of the cards in each stage of a pipeline. */
export function totalsQuery(pipelineId: number, filter: BoardQuery) {
  return queryOptions({
    queryKey: [...liveKeys.board, "totals", pipelineId, filter],
    queryFn: async ({ client, signal }) => {
      await mutationsDone(client, moveKey, signal);
      return await callApi("GET /pipelines/:id/totals", { id: pipelineId, query: filter });
    },
    placeholderData: keepPreviousData,
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

/** The board that a mutation changes: a pipeline through a filter. */
export interface ShownBoard {
  pipelineId: number;
  filter: BoardQuery;
}

/**
 * Moves a card. The board shows the move at once. A refusal reverts it and shows the reason. @param
 * onMoved runs after each move, with the neighbour that leads back to the old place
 */
export function useMoveCard(
  { pipelineId, filter }: ShownBoard,
  onMoved?: (move: CardMove, back: Near | null) => void,
) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const keyOf = (stageId: number) => columnQuery(stageId, filter).queryKey;
  const put = (card: Card, from: number, to: number, near: Near | null): void => {
    client.setQueryData(totalsQuery(pipelineId, filter).queryKey, (totals) =>
      totalsAfter(totals, card, from, to),
    );
    // A column that is not loaded has no place for the card. The card stays where it was until the
    // move has ended.
    if (client.getQueryData(keyOf(to)) === undefined) return;
    client.setQueryData(keyOf(from), (column) => withoutCard(column, card));
    client.setQueryData(keyOf(to), (column) => withCard(column, card, near));
  };
  /**
   * Loads the new column of a card if it is not loaded. The other columns are read only after the
   * move, so the card changes its column at once: it is never in two, and never in none.
   */
  const readNew = async ({ card, from, to }: CardMove): Promise<void> => {
    if (client.getQueryData(keyOf(to)) !== undefined) return;
    // Columns that could not be read are read again after the move.
    const page = await readCards(to, filter, null).catch(() => null);
    if (page === null) return;
    notifyManager.batch(() => {
      client.setQueryData(keyOf(from), (column) => withoutCard(column, card));
      client.setQueryData(keyOf(to), { pages: [page], pageParams: [null] });
    });
  };
  return useMutation({
    mutationKey: moveKey,
    mutationFn: async ({ card, to, near }: CardMove) =>
      await moveConversation(card.id, { stage_id: to, ...near }),
    onMutate: async ({ card, from, to, near }) => {
      await client.cancelQueries({ queryKey: liveKeys.board });
      const back = nearOf(cardsOf(client.getQueryData(keyOf(from))), card);
      put(card, from, to, near);
      return { back };
    },
    onSuccess: async (_moved, move, { back }) => {
      await readNew(move);
      onMoved?.(move, back);
    },
    onError: (error, { card, from, to }, known) => {
      // Reverts this card only, and only where it still is: other cards, or this one, may have
      // moved since.
      const there = cardsOf(client.getQueryData(keyOf(to)));
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

/** Body of a change of a card. */
export type CardPatch = BodyOf<"PATCH /pipelines/:id/cards/:contactId">;

/** A change of a card's value or outcome. */
export interface CardChange {
  card: Card;
  stageId: number;
  body: CardPatch;
}

/**
 * Changes a card. A card whose outcome changes leaves the shown board at once. A refusal puts the
 * card back and shows the reason.
 */
export function useChangeCard(
  { pipelineId, filter }: ShownBoard,
  onDone?: (one: CardChange) => void,
) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const keyOf = (stageId: number) => columnQuery(stageId, filter).queryKey;
  return useMutation({
    mutationKey: moveKey,
    mutationFn: async ({ card, body }: CardChange) =>
      await callApi("PATCH /pipelines/:id/cards/:contactId", {
        id: pipelineId,
        contactId: card.contact_id,
        body,
      }),
    onMutate: async ({ card, stageId, body }) => {
      await client.cancelQueries({ queryKey: liveKeys.board });
      const back = nearOf(cardsOf(client.getQueryData(keyOf(stageId))), card);
      const leaves = body.outcome !== undefined && body.outcome !== filter.outcome;
      if (leaves) client.setQueryData(keyOf(stageId), (column) => withoutCard(column, card));
      return { back, leaves };
    },
    onSuccess: (_changed, change) => onDone?.(change),
    onError: (error, { card, stageId }, known) => {
      if (known?.leaves === true) {
        client.setQueryData(keyOf(stageId), (column) => withCard(column, card, known.back));
      }
      tellFailure(t("pipelines.card_not_changed"), error);
    },
    onSettled: () => void client.invalidateQueries({ queryKey: liveKeys.board }),
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
