import {
  infiniteQueryOptions,
  useMutation,
  useQueryClient,
  type InfiniteData,
} from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import type { cardView } from "../../../../core/model/views/conversation.ts";
import type { cardListMeta, PipelineView } from "../../../../core/model/pipeline.ts";
import { callApi, callForData, queryString, type Listed, type Method } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";
import { mutationsDone } from "../../lib/mutations-done.ts";
import { tellFailure } from "../../lib/notify.ts";
import { moveConversation } from "../../lib/pipelines.ts";
import { cardsOf, nearOf, withCard, withoutCard, type Near } from "./columns.ts";

/** A card of the board: a contact in the conversation that it was last moved in. */
export type Card = z.output<typeof cardView>;
/** A page of a column. */
export type CardPage = Listed<Card, z.output<typeof cardListMeta>>;
/** As much of a column as has been read. */
export type Column = InfiniteData<CardPage>;

/** A stage's cards from the top down, a page after another. */
export function columnQuery(stageId: number) {
  return infiniteQueryOptions<CardPage, Error, Column, readonly unknown[], string | null>({
    queryKey: [...liveKeys.board, stageId],
    queryFn: async ({ pageParam, client, signal }) => {
      // It would show a card where it was, or in two columns at once.
      await mutationsDone(client, moveKey, signal);
      return await callApi<CardPage>(
        "GET",
        `/stages/${stageId}/cards${queryString({ limit: 20, cursor: pageParam ?? undefined })}`,
      );
    },
    initialPageParam: null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
  });
}

/** A card that goes from one place to another. */
export interface CardMove {
  card: Card;
  from: number;
  to: number;
  /** Null: to the top. */
  near: Near | null;
}

const moveKey = ["move-card"];

/**
 * Moves a card; the board shows it at once, and as it was with the reason where it is refused.
 * @param onMoved told of each move, with the way back to where the card stood in its column.
 */
export function useMoveCard(onMoved?: (move: CardMove, back: Near | null) => void) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const put = (card: Card, from: number, to: number, near: Near | null): void => {
    // A column that was never read has no place for it yet: until it has, the card stays where it is.
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
      // This card alone, and where it still stands: others, or it, may have gone on since.
      const there = cardsOf(client.getQueryData(columnQuery(to).queryKey));
      const stands = there.some(({ id }) => id === card.id);
      if (known !== undefined && stands) put(card, to, from, known.back);
      tellFailure(t("pipelines.not_moved"), error);
    },
    // Not waited for: the columns in turn wait for this move to be over.
    onSettled: () => {
      void client.invalidateQueries({ queryKey: liveKeys.board });
      void client.invalidateQueries({ queryKey: liveKeys.pipelines });
    },
  });
}

/** A change of how pipelines are arranged, as a call of the API. */
export interface Arrangement {
  method: Method;
  path: string;
  body?: unknown;
}

/** Arranges pipelines and their stages. */
export function useArrange() {
  const client = useQueryClient();
  const { t } = useTranslation();
  return useMutation({
    mutationFn: async ({ method, path, body }: Arrangement) =>
      await callForData<PipelineView>(method, path, body),
    onError: (error) => tellFailure(t("pipelines.not_changed"), error),
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.pipelines }),
  });
}
