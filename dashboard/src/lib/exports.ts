import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { exportRowView, exportView } from "../../../core/model/views/export.ts";
import { callApi, type BodyOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** An export with its progress. */
export type Export = z.output<typeof exportView>;

/** An export in the list of the account. */
export type ExportSummary = z.output<typeof exportRowView>;

/** The rows to export: a kind with its filters, or one contact. */
export type ExportBody = BodyOf<"POST /exports">;

/** Starts an export. */
export function useStartExport() {
  return useMutation({
    mutationFn: async (body: ExportBody) => await callApi("POST /exports", { body }),
  });
}

/** Starts an export again, with its filters. */
export function useRepeatExport() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: number) => await callApi("POST /exports/:id/repeat", { id }),
    onSettled: () => void client.invalidateQueries({ queryKey: liveKeys.exports }),
  });
}

/** A page of the account's exports, newest first. Live changes tell of progress. */
export function exportsQuery(offset: number) {
  return queryOptions({
    queryKey: [...liveKeys.exports, "list", offset],
    queryFn: async () => await callApi("GET /exports", { query: { offset, limit: 50 } }),
    placeholderData: keepPreviousData,
  });
}

/** An export. Live changes tell of progress and of the end. */
export function exportQuery(id: number) {
  return queryOptions({
    queryKey: [...liveKeys.exports, id],
    queryFn: async () => await callApi("GET /exports/:id", { id }),
  });
}

/** @returns true until the file is there, or the export has failed. */
export function isUnderWay({ state }: Pick<Export, "state">): boolean {
  return state === "queued" || state === "running";
}

/** URL of the file of an export, for the person who asked. */
export function exportFilePath(id: number): string {
  return `/dashboard/api/exports/${id}/file`;
}
