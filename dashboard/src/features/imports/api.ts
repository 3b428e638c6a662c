import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import type {
  importRowView,
  importView,
  rowOfImportView,
} from "../../../../core/model/views/import.ts";
import { callApi, type BodyOf, type QueryOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** An import with what was detected, its mapping and its counts. */
export type Import = z.output<typeof importView>;

/** An import in the list. */
export type ImportSummary = z.output<typeof importRowView>;

/** A row of the file, with its plan and outcome. */
export type ImportRow = z.output<typeof rowOfImportView>;

/** Filter of the rows of an import. */
export type RowFilter = Omit<QueryOf<"GET /imports/:id/rows">, "after" | "limit">;

/** Body of a change of the mapping, or of the format of the file. */
export type MappingBody = BodyOf<"PATCH /imports/:id">;

/** Delimiter and charset to read the file with. Null: as the file is detected. */
export type ChosenFormat = Pick<MappingBody, "charset" | "delimiter">;

/** Steps that a person takes with an import. */
export type ImportAct = "plan" | "commit" | "pause" | "resume" | "cancel" | "undo";

/** States in which a worker is busy with the import. */
const busyStates: ReadonlySet<Import["state"]> = new Set([
  "uploaded",
  "planning",
  "committing",
  "undoing",
]);

/** @returns true while a worker is busy with the import, or is about to be. */
function isBusy({ state }: Pick<Import, "state">): boolean {
  return busyStates.has(state);
}

/** Refetch interval in ms of an import under way. Changes come live, and this is the fallback. */
const busyMs = 1_000;
/** Rows of one page. */
const pageRows = 100;

/** A page of the imports, newest first. */
export function importsQuery(offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.imports, "list", offset],
    queryFn: async () => await callApi("GET /imports", { query: { offset, limit: 50 } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isBusy) === true ? busyMs * 3 : false),
  });
}

/** An import, refetched while a worker is busy with it. */
export function importQuery(id: number) {
  return queryOptions({
    queryKey: [...liveKeys.imports, id],
    queryFn: async () => await callApi("GET /imports/:id", { id }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isBusy(state.data) ? busyMs : false,
  });
}

/**
 * Rows of an import in the order of the file. `version` changes with the plan and the outcome, so
 * that rows of an earlier plan are not shown.
 */
export function rowsQuery(id: number, filter: RowFilter, version: string) {
  return infiniteQueryOptions({
    queryKey: ["import-rows", id, version, filter],
    queryFn: async ({ pageParam: after }) =>
      await callApi("GET /imports/:id/rows", {
        id,
        query: { ...filter, limit: pageRows, ...(after === null ? {} : { after }) },
      }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ meta }) => meta.next,
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

/** Saves the mapping, then starts the dry run. */
export function useDryRun(id: number) {
  return useChange(id, async (body: MappingBody) => {
    await callApi("PATCH /imports/:id", { id, body });
    return await callApi("POST /imports/:id/plan", { id });
  });
}

/** Reads the file again with another delimiter or charset. The columns may be others then. */
export function useReread(id: number) {
  return useChange(
    id,
    async (body: ChosenFormat) => await callApi("PATCH /imports/:id", { id, body }),
  );
}

/** Takes a step with an import. */
export function useImportAct(id: number) {
  return useChange(id, async (act: ImportAct) => await callApi(`POST /imports/:id/${act}`, { id }));
}

/** A change that answers with the import. The page shows the answer at once. */
function useChange<Input>(id: number, mutationFn: (input: Input) => Promise<Import>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (changed) => client.setQueryData(importQuery(id).queryKey, changed),
    // After a refusal the import is at another step than the page shows.
    onSettled: () => void client.invalidateQueries({ queryKey: liveKeys.imports }),
  });
}

/** URL of the rows with errors, as a file. */
export function errorsPath(id: number): string {
  return `/dashboard/api/imports/${id}/errors.csv`;
}
