import type { QueryClient } from "@tanstack/react-query";
import { callApi } from "../lib/api.ts";
import { clearDrafts } from "../lib/drafts.ts";
import { startSession, tellTabs } from "../lib/session.ts";
import { paths } from "../paths.ts";

/** Logs out. The page is reloaded, so that no data stays in the tab. */
export async function logOut(): Promise<void> {
  await callApi("DELETE /session");
  clearDrafts();
  tellTabs();
  window.location.assign(paths.login);
}

/** Switches to another account of the same user. */
export async function switchAccount(client: QueryClient, accountId: number): Promise<void> {
  const session = await callApi("PATCH /session", { body: { account_id: accountId } });
  await startSession(client, session);
  window.location.assign(paths.inbox);
}
