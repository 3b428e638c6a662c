import type { AgentContext } from "../../agent/context.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { SiteContext } from "../../model/site-context.ts";
import type { VisitedPage } from "../../model/widget-visit.ts";

/**
 * The site that the visitor of a conversation is on, by the session that moved last. The address is
 * without its query. Undefined for other channels, and where nothing is known.
 */
export async function findConversationSite(
  { manager, actor }: Tx,
  conversationId: number,
): Promise<NonNullable<AgentContext["site"]> | undefined> {
  const [row] = await manager.query<{ page: VisitedPage | null; context: SiteContext | null }[]>(
    `SELECT page, context FROM widget_sessions FORCE INDEX (widget_sessions_conversation)
      WHERE conversation_id = ? AND account_id = ? AND ended_at IS NULL
      ORDER BY last_seen_at DESC, id DESC LIMIT 1`,
    [conversationId, actor.accountId],
  );
  const { page = null, context = null } = row ?? {};
  if (page === null && context === null) return undefined;
  return {
    page: page === null ? null : page.url.split("?", 1).join(""),
    title: page?.title ?? null,
    facts: context ?? {},
  };
}
