import type { Tx } from "../../../db/transaction.ts";
import { inboxViews, mostInView, type InboxView } from "../../model/inbox-queue.ts";
import { allOf, type Count, type SqlPart } from "../sql.ts";
import { listSavedViews } from "../conversations/saved-views.ts";
import { conditionsOfRow, withAssignee, type ConversationFilter } from "./conversation-list.ts";
import { selectView } from "./inbox-views.ts";

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
  const isInIndex = view === "needs_answer" || view === "waiting";
  const [ofAssignee] = isInIndex ? conditionsOfRow({ assigned_to_user_id: assignee }) : [];
  const { tag, stage_id: stageId, ...ofRow } = ofAssignee === undefined ? filter : others;
  const joins = joinsFor(tag, stageId);
  const passing = allOf([
    ...conditionsOfRow(ofRow),
    ...joins.map(({ passes }): [string] => [passes]),
  ]);
  const read = selectView(tx, view, columnsFor(filter), {
    narrowing: [],
    limit: mostInView + 1,
    ...(ofAssignee === undefined ? {} : { assignee: ofAssignee }),
  });
  const total = passing.sql === "" ? "COUNT(*)" : `COALESCE(SUM(${passing.sql}), 0)`;
  return {
    sql: `SELECT ${total} AS total, COUNT(*) AS seen FROM (${read.sql}) c
      ${joins.map(({ sql }) => sql).join(" ")}`,
    values: [...passing.values, ...read.values, ...joins.map(({ value }) => value)],
  };
}
/**
 * Joins that find a tag or stage of the contact. Each adds one row at most, and costs half of a
 * subquery for each conversation.
 */
function joinsFor(tag: string | undefined, stageId: number | undefined) {
  const ofTag = {
    sql: "LEFT JOIN contact_tags t ON t.contact_id = c.contact_id AND t.tag = ?",
    value: tag,
    passes: "t.tag IS NOT NULL",
  };
  const ofStage = {
    sql: `LEFT JOIN contact_stages s FORCE INDEX (contact_stages_contact)
        ON s.contact_id = c.contact_id AND s.stage_id = ?`,
    value: stageId,
    passes: "s.stage_id IS NOT NULL",
  };
  return [ofTag, ofStage].filter(({ value }) => value !== undefined);
}

/** Columns that a filter reads. Fewer columns leave the read to the index alone. */
function columnsFor({ channel, assigned_to_user_id: assignee, ...filter }: ConversationFilter) {
  const ofContact = filter.tag !== undefined || filter.stage_id !== undefined;
  const columns = [
    ...(channel === undefined ? [] : ["c.channel"]),
    ...(assignee === undefined ? [] : ["c.assigned_to_user_id"]),
    ...(ofContact ? ["c.contact_id"] : []),
  ];
  return columns.length === 0 ? "1" : columns.join(", ");
}
