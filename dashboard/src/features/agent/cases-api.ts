import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { callApi, type AnswerOf, type BodyOf } from "../../lib/api.ts";
import { liveKeys } from "../../lib/live-changes.ts";

/** A test case of the agent. */
export type AgentCase = AnswerOf<"GET /agent-cases">["data"][number];
export type CaseBody = BodyOf<"POST /agent-cases">;

/** All test cases, newest first. Results arrive live. */
export const casesQuery = queryOptions({
  queryKey: [...liveKeys.agent, "cases"],
  queryFn: async () => await callApi("GET /agent-cases", { query: { limit: 100 } }),
  placeholderData: keepPreviousData,
});

/** Values of the form of a test case. `id` and `result` are null for a new one. */
export type CaseForm = Pick<AgentCase, "channel" | "lines" | "expected"> & {
  id: number | null;
  result: AgentCase["result"];
};

/** A step that changes the test cases. */
export type CaseStep = { save: CaseBody; id: number | null } | { remove: number } | { run: true };

/** Adds, changes, deletes or runs test cases. */
export function useChangeCases() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (step: CaseStep) => {
      if ("run" in step) await callApi("POST /agent-cases/run");
      else if ("remove" in step) await callApi("DELETE /agent-cases/:id", { id: step.remove });
      else if (step.id === null) await callApi("POST /agent-cases", { body: step.save });
      else await callApi("PATCH /agent-cases/:id", { id: step.id, body: step.save });
    },
    onSuccess: async () => await client.invalidateQueries({ queryKey: liveKeys.agent }),
  });
}

/** Makes a test case of a turn. */
export function useCaseOfTurn(turnId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => await callApi("POST /agent-turns/:id/case", { id: turnId }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: liveKeys.agent }),
  });
}
