import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callApi, type AnswerOf, type QueryOf } from "./api.ts";
import { liveKeys } from "./live-changes.ts";

/** A turn of the agent in a list. */
export type Turn = AnswerOf<"GET /agent-turns">["data"][number];
/** A turn with its burst, steps, calls and guards. */
export type TurnDetail = AnswerOf<"GET /agent-turns/:id">;
export type TurnStep = TurnDetail["trace"][number];
export type TurnCall = TurnStep["calls"][number];

/** Filter of the list of turns. */
export type TurnFilter = Omit<QueryOf<"GET /agent-turns">, "limit" | "before_id">;

/** A page of turns, newest first. */
export function turnsQuery(filter: TurnFilter, beforeId: number | null, limit = 50) {
  const query = { ...filter, limit, before_id: beforeId ?? undefined };
  return queryOptions({
    queryKey: [...liveKeys.agentTurns, filter, beforeId, limit],
    queryFn: async () => await callApi("GET /agent-turns", { query }),
    placeholderData: keepPreviousData,
  });
}

/** A turn by its own id, or by the message that it wrote. */
export type TurnKey = { turnId: number } | { messageId: number };

/** One turn with its trace; null for a message that no turn wrote. */
export function turnQuery(key: TurnKey) {
  return queryOptions({
    queryKey: [...liveKeys.agentTurns, key],
    queryFn: async (): Promise<TurnDetail | null> => {
      const id = "turnId" in key ? key.turnId : await findTurnOf(key.messageId);
      return id === null ? null : await callApi("GET /agent-turns/:id", { id });
    },
  });
}

async function findTurnOf(messageId: number): Promise<number | null> {
  const query = { message_id: messageId, limit: 1 };
  const { data } = await callApi("GET /agent-turns", { query });
  return data[0]?.id ?? null;
}
