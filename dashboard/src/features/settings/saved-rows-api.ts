import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { CannedAnswerView } from "../../../../core/model/views/canned-answer.ts";
import type { MacroView } from "../../../../core/model/views/macro.ts";
import { callApi, type BodyOf, type Listed } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** A canned answer or a macro: of the user, or shared with the account. */
export interface SavedRow {
  id: number;
  shared: boolean;
}

/** Calls of one kind of saved rows. */
export interface SavedRows<Row extends SavedRow, Body> {
  /** Name of the kind in the texts and in the keys of queries. */
  kind: "canned" | "macros";
  list: (query: { limit: number; offset: number }) => Promise<Listed<Row>>;
  create: (body: Body) => Promise<Row>;
  update: (id: number, body: Body) => Promise<Row>;
  remove: (id: number) => Promise<unknown>;
}

export const cannedAnswers: SavedRows<CannedAnswerView, BodyOf<"POST /canned-answers">> = {
  kind: "canned",
  list: async (query) => await callApi("GET /canned-answers", { query }),
  create: async (body) => await callApi("POST /canned-answers", { body }),
  update: async (id, body) => await callApi("PATCH /canned-answers/:id", { id, body }),
  remove: async (id) => await callApi("DELETE /canned-answers/:id", { id }),
};

export const macros: SavedRows<MacroView, BodyOf<"POST /macros">> = {
  kind: "macros",
  list: async (query) => await callApi("GET /macros", { query }),
  create: async (body) => await callApi("POST /macros", { body }),
  update: async (id, body) => await callApi("PATCH /macros/:id", { id, body }),
  remove: async (id) => await callApi("DELETE /macros/:id", { id }),
};

/** Rows of one page of a list. */
const pageRows = 20;

/** A page of the rows of the account and of the user. */
export function savedRowsQuery<Row extends SavedRow, Body>(
  { kind, list }: SavedRows<Row, Body>,
  offset: number,
) {
  return queryOptions({
    queryKey: [...liveKeys.answers, kind, "list", offset],
    queryFn: async () => await list({ limit: pageRows, offset }),
    placeholderData: keepPreviousData,
  });
}

/** Stores a row: a new one where `id` is null. */
export function useSaveRow<Row extends SavedRow, Body>(
  rows: SavedRows<Row, Body>,
  id: number | null,
) {
  return useChange(async (body: Body) =>
    id === null ? await rows.create(body) : await rows.update(id, body),
  );
}

/** Deletes a row. */
export function useDeleteRow<Row extends SavedRow, Body>(rows: SavedRows<Row, Body>, id: number) {
  return useChange(async () => await rows.remove(id));
}

function useChange<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: async () => await client.invalidateQueries({ queryKey: liveKeys.answers }),
  });
}
