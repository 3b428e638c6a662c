import type { Tx } from "../../../db/transaction.ts";
import { inboxViews, mostInView, type InboxView } from "../../model/inbox-queue.ts";
import { allOf, type Count, type SqlPart } from "../sql.ts";
import { listSavedViews } from "../conversations/saved-views.ts";
import { conditionsOfRow, withAssignee, type ConversationFilter } from "./conversation-list.ts";
import { conditionsOfView, indexOfView } from "./inbox-views.ts";

/** Saved views that are counted at once. An account may share more. */
const mostSaved = 50;

/** A view, and the filter that a saved view adds. */
interface CountedView {
  view: InboxView;
  filter?: Omit<ConversationFilter, "search"> | undefined;
}

/** The number of conversations in each view, up to 1,000. */
export async function countViews(tx: Tx): Promise<Record<InboxView, Count>> {
  const counts = await countEach(
    tx,
    inboxViews.map((view) => ({ view })),
  );
  return Object.fromEntries(inboxViews.map((view, index) => [view, counts[index]])) as Record<
    InboxView,
    Count
  >;
}

/** The number of conversations in each saved view that the person sees, up to 50 views. */
export async function countSavedViews(tx: Tx): Promise<(Count & { id: number })[]> {
  const { rows } = await listSavedViews(tx, { limit: mostSaved, offset: 0 });
  const counts = await countEach(
    tx,
    rows.map(({ view, filter }) => ({ view, filter: withAssignee(tx, filter) })),
  );
  return counts.map((count, index) => ({ id: rows[index]?.id ?? 0, ...count }));
}

/**
 * Counts views in one statement. Of each it reads 1,001 conversations at most, in an index, whatever
 * the filter. So a filter that few conversations pass may count fewer than there are, and says so.
 */
export async function countEach(tx: Tx, views: readonly CountedView[]): Promise<Count[]> {
  if (views.length === 0) return [];
  const parts = views.map((view) => countOf(tx, view));
  const rows = await tx.manager.query<{ total: unknown; seen: unknown }[]>(
    parts.map(({ sql }) => sql).join(" UNION ALL "),
    parts.flatMap(({ values }) => values),
  );
  return rows.map(({ total, seen }) => ({
    total: Math.min(Number(total), mostInView),
    totalAtLeast: Number(seen) > mostInView,
  }));
}

function countOf(tx: Tx, { view, filter = {} }: CountedView): SqlPart {
  const { assigned_to_user_id: assignee, ...others } = filter;
  // An assignee is part of an index, so the read ends sooner with it.
  const isAssigned = assignee !== undefined && view !== "all" && view !== "resolved";
  const index = isAssigned ? "conversations_assignee_queue" : indexOfView(view);
  const read = allOf([
    ...conditionsOfView(tx, view),
    ...(isAssigned ? conditionsOfRow({ assigned_to_user_id: assignee }) : []),
  ]);
  const passing = allOf(
    conditionsOfRow(isAssigned ? others : { assigned_to_user_id: assignee, ...others }),
  );
  const columns = "c.account_id, c.contact_id, c.channel, c.assigned_to_user_id";
  const isFiltered = passing.sql !== "";
  const total = isFiltered ? `COALESCE(SUM(${passing.sql}), 0)` : "COUNT(*)";
  return {
    sql: `SELECT ${total} AS total, COUNT(*) AS seen FROM (
      SELECT ${isFiltered ? columns : "1"} FROM conversations c FORCE INDEX (${index})
       WHERE ${read.sql} LIMIT ?) c`,
    values: [...passing.values, ...read.values, mostInView + 1],
  };
}
