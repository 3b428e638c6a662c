import { queryOptions, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { inboxConversation } from "../../../core/model/views/conversation.ts";
import type { PipelineView, StageMoveBody } from "../../../core/model/pipeline.ts";
import { callApi } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** Every pipeline with its stages; an account has at most 20. */
export const pipelinesQuery = queryOptions({
  queryKey: liveKeys.pipelines,
  queryFn: async () => await callApi("GET /pipelines", { query: { limit: 100 } }),
});

/** Every pipeline; empty while the list is loading. */
export function usePipelines(): PipelineView[] {
  return useQuery(pipelinesQuery).data?.data ?? [];
}

/** The stages of every pipeline in the shape of a Select's options. */
export function stageOptions(pipelines: PipelineView[]) {
  return pipelines.map(({ name, stages }) => ({
    group: name,
    items: stages.map((one) => ({ value: String(one.id), label: one.name })),
  }));
}

/** Moves the contact of a conversation to a stage, or to another place in its column. */
export async function moveConversation(
  id: number,
  move: StageMoveBody,
): Promise<z.output<typeof inboxConversation>> {
  return await callApi("POST /conversations/:id/stage", { id, body: move });
}
