import { queryOptions, useSuspenseQuery, type QueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { sessionView } from "../../../api/dashboard/views.ts";
import { ApiError, callForData } from "./api.ts";

/** Who is logged in, where, and where else they could be. */
export type Session = z.output<typeof sessionView>;

/** Who is logged in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session | null> => {
    try {
      return await callForData<Session>("GET", "/session");
    } catch (error) {
      if (error instanceof ApiError && error.code === "session_required") return null;
      throw error;
    }
  },
  staleTime: 60_000,
});

/** The session of a page behind the login. @throws outside of one, which is a fault of ours */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (data === null) throw new Error("Nobody is logged in.");
  return data;
}

/** Another person or account from here on: nothing that was read before may be shown. */
export async function startSession(client: QueryClient, session: Session): Promise<void> {
  await client.cancelQueries();
  client.clear();
  client.setQueryData(sessionQuery.queryKey, session);
}

/** Nobody is logged in from here on. */
export function endSession(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, null);
}
