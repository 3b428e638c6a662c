import { queryOptions, useMutation } from "@tanstack/react-query";
import type { z } from "zod";
import type { exportView } from "../../../core/model/views/export.ts";
import { callApi, type BodyOf } from "./api.ts";

/** An export with its progress. */
export type Export = z.output<typeof exportView>;

/** The rows to export: a kind with its filters, or one contact. */
export type ExportBody = BodyOf<"POST /exports">;

/** Starts an export. */
export function useStartExport() {
  return useMutation({
    mutationFn: async (body: ExportBody) => await callApi("POST /exports", { body }),
  });
}

/** Refetch interval in ms of an export under way. */
const runningMs = 1_000;

/** An export, refetched until its file is there. */
export function exportQuery(id: number) {
  return queryOptions({
    queryKey: ["exports", id],
    queryFn: async () => await callApi("GET /exports/:id", { id }),
    refetchInterval: ({ state }) =>
      state.data === undefined || isUnderWay(state.data) ? runningMs : false,
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
