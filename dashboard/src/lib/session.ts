import { queryOptions, useSuspenseQuery, type QueryClient } from "@tanstack/react-query";
import { use } from "react";
import type { z } from "zod";
import type { sessionView } from "../../../core/model/views/dashboard.ts";
import { callApi, ApiError } from "./api.ts";
import { clearDrafts, keepDraftsOf } from "./drafts.ts";

/** The logged-in user, the account, and the other accounts of the user. */
export type Session = z.output<typeof sessionView>;

/** The session; null without a login. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async (): Promise<Session | null> => {
    try {
      const session = await callApi("GET /session");
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

const never = new Promise<never>(() => undefined);

/**
 * The session, for a page behind the login. A page can draw after the session has ended and before
 * the shell is told. Such a page waits until the shell leads to the login.
 */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  return data ?? use(never);
}

/** Begins the session of another user or account. All data that was read before is dropped. */
export async function startSession(client: QueryClient, session: Session): Promise<void> {
  await client.cancelQueries();
  client.clear();
  keepDraftsOf(session.user.id);
  client.setQueryData(sessionQuery.queryKey, session);
  tellTabs();
}

/** A channel of this module alone, so that a tab does not receive its own messages. */
const tabs = new BroadcastChannel("parley-session");

/** Makes the other tabs refetch the session. All tabs share one cookie. */
export function tellTabs(): void {
  tabs.postMessage(null);
}

/** Refetches the session whenever another tab has changed the login. */
export function followSession(client: QueryClient): void {
  tabs.onmessage = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/** @returns true where two sessions belong to one user in one account. */
export function isSameLogin(one: Session, other: Session): boolean {
  return one.user.id === other.user.id && one.account.id === other.account.id;
}

/** Ends the session in this tab. The next person at this browser reads no draft. */
export function endSession(client: QueryClient): void {
  clearDrafts();
  client.setQueryData(sessionQuery.queryKey, null);
}
