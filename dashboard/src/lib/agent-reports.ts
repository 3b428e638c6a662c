import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi, type AnswerOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

export type AgentUsage = AnswerOf<"GET /agent-usage">;
export type AgentQuality = AnswerOf<"GET /agent-quality">;

/** Days of a report, the last one included. */
export interface DayRange {
  from: string;
  to: string;
}

/** Turns, tokens and cost of the agent. */
export function usageQuery(range: DayRange) {
  return queryOptions({
    queryKey: [...liveKeys.agentTurns, "usage", range],
    queryFn: async () => await callApi("GET /agent-usage", { query: { ...range } }),
    placeholderData: keepPreviousData,
  });
}

/** Outcomes, ratings and drafts of the agent in a range of days. */
export function qualityQuery(range: DayRange) {
  return queryOptions({
    queryKey: [...liveKeys.agentTurns, "quality", range],
    queryFn: async () => await callApi("GET /agent-quality", { query: { ...range } }),
    placeholderData: keepPreviousData,
  });
}
