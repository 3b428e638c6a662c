import { queryOptions, useSuspenseQuery, type QueryClient } from "@tanstack/react-query";
import type { z } from "zod";
import type { sessionView } from "../../../core/model/views/dashboard.ts";
import { ApiError, callForData } from "./api.ts";
import { clearDrafts, keepDraftsOf } from "./drafts.ts";

/** Who is logged in, where, and where else they could be. */
export type Session = z.output<typeof sessionView>;

/** Who is logged in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await callForData<Session>("GET", "/session");
      keepDraftsOf(session.user.id);
      return session;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "session_required")) throw error;
      clearDrafts();
      return null;
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
  keepDraftsOf(session.user.id);
  client.setQueryData(sessionQuery.queryKey, session);
  tellTabs();
}

/** One of its own, so that a tab does not hear itself. */
const tabs = new BroadcastChannel("parley-session");

/** All tabs share one cookie: what one of them changes about the login, the others look at. */
export function tellTabs(): void {
  tabs.postMessage(null);
}

/** Looks at the login again whenever another tab has changed it. */
export function followSession(client: QueryClient): void {
  tabs.onmessage = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** Whether two sessions are of one person in one account. */
export function isSameLogin(one: Session, other: Session): boolean {
  return one.user.id === other.user.id && one.account.id === other.account.id;
}

/** Nobody is logged in from here on, and the next person at this browser reads no draft. */
export function endSession(client: QueryClient): void {
  clearDrafts();
  client.setQueryData(sessionQuery.queryKey, null);
}
