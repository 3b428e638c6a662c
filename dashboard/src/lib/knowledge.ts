import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { KnowledgeState } from "../../../core/model/agent.ts";
import type { Locale } from "../../../core/model/user.ts";
import { ApiError, callApi, type AnswerOf, type BodyOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";
import { tellDone, tellWithActions } from "./notify.ts";

/** Scores from which the agent answers, and from which it offers a question. */
export const answersFrom = 0.6;
export const offersFrom = 0.35;

/** A question with its stored answer. */
export type Item = AnswerOf<"GET /knowledge-items/:id">;
/** A question of customers that no item answered. */
export type Gap = AnswerOf<"GET /knowledge-gaps">["data"][number];
/** A page or a file from which items are suggested. */
export type Source = AnswerOf<"GET /knowledge-sources">["data"][number];
export type SourceBody = BodyOf<"POST /knowledge-sources">;
/** A decision on suggestions. */
export type Decision = BodyOf<"POST /knowledge-items/bulk">["state"];
export type ItemBody = BodyOf<"POST /knowledge-items">;

/** Filter of the list of items. */
export interface ItemFilter {
  state?: KnowledgeState;
  language?: Locale;
  q?: string;
}

/** A page of the knowledge items, newest first. */
export function itemsQuery(filter: ItemFilter, offset: number) {
  const query = { ...filter, limit: 50, offset };
  return queryOptions({
    queryKey: [...liveKeys.knowledge, "items", filter, offset],
    queryFn: async () => await callApi("GET /knowledge-items", { query }),
    placeholderData: keepPreviousData,
  });
}

/** One knowledge item; null where it was deleted. */
export function itemQuery(id: number) {
  return queryOptions({
    queryKey: [...liveKeys.knowledge, "item", id],
    queryFn: async (): Promise<Item | null> => {
      try {
        return await callApi("GET /knowledge-items/:id", { id });
      } catch (error) {
        if (error instanceof ApiError && error.code === "knowledge_item_not_found") return null;
        throw error;
      }
    },
  });
}

/** The open gaps, those asked last first. */
export function gapsQuery(offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.knowledge, "gaps", offset],
    queryFn: async () => await callApi("GET /knowledge-gaps", { query: { limit: 10, offset } }),
    placeholderData: keepPreviousData,
  });
}

/** Pages and files of the knowledge, newest first. */
export function sourcesQuery(offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.knowledge, "sources", offset],
    queryFn: async () => await callApi("GET /knowledge-sources", { query: { limit: 20, offset } }),
    placeholderData: keepPreviousData,
  });
}

function useKnowledgeChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await Promise.all(
        [liveKeys.knowledge, liveKeys.agent].map(
          async (queryKey) => await client.invalidateQueries({ queryKey }),
        ),
      );
    },
  });
}

/** Adds an item, or changes the one with this id. */
export function useSaveItem(id: number | null) {
  return useKnowledgeChange(async (body: ItemBody) => {
    if (id === null) return await addItem(body);
    const { gap_id: _gap, ...patch } = body;
    return await callApi("PATCH /knowledge-items/:id", { id, body: patch });
  });
}

/** Adds an item, also where its gap went while the answer was written. */
async function addItem(body: ItemBody): Promise<Item> {
  try {
    return await callApi("POST /knowledge-items", { body });
  } catch (error) {
    const { gap_id: _gap, ...item } = body;
    const isGone = error instanceof ApiError && error.code === "knowledge_gap_not_found";
    if (!isGone) throw error;
    return await callApi("POST /knowledge-items", { body: item });
  }
}

/**
 * Asks a question again once an item is approved, and tells if the agent answers it with the item
 * now.
 */
export function useAskAgain() {
  const { t } = useTranslation();
  return async (text: string, { id, language }: Item): Promise<void> => {
    const hits = await callApi("POST /knowledge/search", { body: { text, language } }).catch(
      () => null,
    );
    const score = hits?.find((hit) => hit.id === id)?.score ?? 0;
    if (hits === null) tellDone(t("common.saved"));
    else if (score >= answersFrom) tellDone(t("knowledge.found_now", { question: text }));
    else {
      const message = t("knowledge.not_found_now", { question: text });
      tellWithActions({ id: "knowledge-asked", color: "warn", message, actions: [] });
    }
  };
}

/** Approves an item, archives it, or makes it a suggestion again. */
export function useSetItemState(id: number) {
  return useKnowledgeChange(
    async (state: KnowledgeState) =>
      await callApi("PATCH /knowledge-items/:id", { id, body: { state } }),
  );
}

/** Approves or archives several items. */
export function useDecideItems() {
  return useKnowledgeChange(
    async (body: BodyOf<"POST /knowledge-items/bulk">) =>
      await callApi("POST /knowledge-items/bulk", { body }),
  );
}

/** Adds a page or a file. */
export function useAddSource() {
  return useKnowledgeChange(
    async (body: SourceBody) => await callApi("POST /knowledge-sources", { body }),
  );
}

/** Requests a read of a page now. */
export function useRefreshSource(id: number) {
  return useKnowledgeChange(
    async () => await callApi("POST /knowledge-sources/:id/refresh", { id }),
  );
}

/** Deletes a page or file with its suggestions. */
export function useDeleteSource(id: number) {
  return useKnowledgeChange(async () => await callApi("DELETE /knowledge-sources/:id", { id }));
}

/** Deletes an item. */
export function useDeleteItem(id: number) {
  return useKnowledgeChange(async () => await callApi("DELETE /knowledge-items/:id", { id }));
}

/** Dismisses a gap, with all that ask the same. */
export function useDismissGap(id: number) {
  return useKnowledgeChange(async () => await callApi("POST /knowledge-gaps/:id/dismiss", { id }));
}

/** Searches the approved items as the agent does. */
export function useTestSearch() {
  return useMutation({
    mutationFn: async (body: BodyOf<"POST /knowledge/search">) =>
      await callApi("POST /knowledge/search", { body }),
  });
}
