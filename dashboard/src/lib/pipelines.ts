import { queryOptions, useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import type { inboxConversation } from "../../../core/model/views/conversation.ts";
import type { PipelineView, StageMoveBody } from "../../../core/model/pipeline.ts";
import { callApi } from "./api.ts";
import type { Hue } from "./hues.ts";
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

/** Finds the colour of a stage; slate while the pipelines are loading. */
export type StageHue = (stageId: number) => Hue;

/** The colours of all stages. A list asks once for all of its rows. */
export function useStageHue(): StageHue {
  const stages = usePipelines().flatMap((pipeline) => pipeline.stages);
  const hues = new Map(stages.map(({ id, hue }) => [id, hue]));
  return (stageId) => hues.get(stageId) ?? "slate";
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
