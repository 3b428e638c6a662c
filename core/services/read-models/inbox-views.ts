import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import { invalidField } from "../../errors.ts";
import { openStatuses } from "../../model/conversation.ts";
import {
  mostInView,
  viewParts,
  type InboxOrder,
  type InboxView,
  type QueueCursor,
  type QueuePart,
} from "../../model/inbox-queue.ts";
import type { LogPage } from "../../model/page.ts";
import { requireUserId } from "../accounts/actor.ts";
import { allOf, countUpTo, cutPage, inOrder, placeholders, type SqlPart } from "../sql.ts";
import { conditionsOfFilter, type ConversationFilter } from "./conversation-list.ts";

/** Page of a view to read. */
export interface ViewBounds {
  view: InboxView;
  order?: InboxOrder | undefined;
  limit: number;
  cursor?: QueueCursor | undefined;
}

type Condition = [string, ...unknown[]];

const isBack = "(c.snoozed_until IS NULL OR c.snoozed_until <= ?)";
const isOpen: Condition = [`c.status IN (${placeholders(openStatuses)})`, ...openStatuses];

/** A part of the queue in SQL, as `queuePart` of the model defines it, without the status. */
const partSql: Record<QueuePart, string> = {
  due: `c.customer_waits_since IS NOT NULL AND ${isBack}`,
  quiet: `c.customer_waits_since IS NULL AND ${isBack}`,
  snoozed: "c.snoozed_until > ?",
};

/** A view in SQL, as `isInView` of the model defines it. */
export function conditionsOfView(tx: Tx, view: InboxView): Condition[] {
  const account: Condition = ["c.account_id = ?", tx.actor.accountId];
  switch (view) {
    case "needs_answer":
      return [account, isOpen, [partSql.due, tx.now]];
    case "waiting":
      return [account, isOpen, [`(${partSql.snoozed} OR (${partSql.quiet}))`, tx.now, tx.now]];
    case "mine":
    case "unassigned":
      return [account, isOpen, ...assigneeOf(tx, view)];
    case "resolved":
      return [account, ["c.status = 'resolved'"]];
    case "all":
      return [account];
  }
}

function assigneeOf(tx: Tx, view: InboxView): Condition[] {
  if (view === "mine") return [["c.assigned_to_user_id = ?", requireUserId(tx.actor)]];
  return view === "unassigned" ? [["c.assigned_to_user_id IS NULL"]] : [];
}

/**
 * The conversations of a view in no order, each selection up to a limit. Only columns of the indexes
 * are read if only those are asked for. A single selection of all parts would be shorter. But for it
 * MySQL may read the whole index, with the conversations of all accounts.
 * @param assignee narrows a view without an assignee of its own, by an index.
 */
export function selectView(
  tx: Tx,
  view: InboxView,
  columns: string,
  { narrowing, assignee, limit }: { narrowing: Condition[]; assignee?: Condition; limit: number },
): SqlPart {
  const own = assignee === undefined ? assigneeOf(tx, view) : [assignee];
  const selections = selectionsOf(tx, view, own).map(({ index, where }): SqlPart => {
    const { sql, values } = allOf([...where, ...narrowing]);
    return {
      sql: `(SELECT ${columns} FROM conversations c FORCE INDEX (${index}) WHERE ${sql} LIMIT ?)`,
      values: [...values, limit],
    };
  });
  return {
    sql: `${selections.map(({ sql }) => sql).join(" UNION ALL ")} LIMIT ?`,
    values: [...selections.flatMap(({ values }) => values), limit],
  };
}

function selectionsOf(tx: Tx, view: InboxView, own: Condition[]) {
  const parts: readonly QueuePart[] | null = viewParts[view];
  if (view === "mine" || view === "unassigned" || parts === null) {
    return [{ index: indexOfView(view), where: conditionsOfView(tx, view) }];
  }
  return parts.flatMap((part) =>
    part === "snoozed" ? [selectionOfSnoozed(tx, own)] : selectionsOfPart(tx, part, own),
  );
}

/** Index by which a view is counted. It holds all columns of the view. */
function indexOfView(view: InboxView): string {
  switch (view) {
    case "needs_answer":
    case "waiting":
      return "conversations_queue";
    case "mine":
    case "unassigned":
      return "conversations_assignee_queue";
    case "resolved":
      return "conversations_status";
    case "all":
      return "conversations_newest";
  }
}

/**
 * Conversations of a view in its order, a page by key, with the number of matches up to 1,000.
 * @throws AppError `validation_error` for the cursor of another view.
 */
export async function listView(
  tx: Tx,
  filter: ConversationFilter,
  { view, order = "queue", limit, cursor }: ViewBounds,
): Promise<LogPage<Conversation, QueueCursor>> {
  const narrowing = await conditionsOfFilter(tx, filter);
  const found = await findInOrder(tx, narrowing, { view, order, limit: limit + 1, cursor });
  const { page, next } = cutPage(found, limit);
  const ids = page.map(({ id }) => id);
  const rows = inOrder(ids, await tx.manager.findBy(Conversation, { id: In(ids) }));
  const all = selectView(tx, view, "1", { narrowing, limit: mostInView + 1 });
  const counted = { sql: `FROM (${all.sql}) found`, values: all.values };
  const count = await countUpTo(tx, counted, { cap: mostInView, known: ids.length });
  return { rows, next: next === null ? null : { part: next.part, keys: next.keys }, ...count };
}

/**
 * The conversation after this one in a view. This one may have left the view a moment ago: the
 * search goes on from its place there. After the last conversation comes the first.
 * @returns its id; null if the view has no other.
 */
export async function findNextInView(
  tx: Tx,
  row: Conversation,
  filter: ConversationFilter,
  { view, order = "queue" }: Pick<ViewBounds, "view" | "order">,
): Promise<number | null> {
  const narrowing: Condition[] = [...(await conditionsOfFilter(tx, filter)), ["c.id <> ?", row.id]];
  const place = { view, order, limit: 1 };
  const cursor = placeOf(row, view, order);
  const [after] = await findInOrder(tx, narrowing, { ...place, cursor });
  if (after !== undefined) return after.id;
  const [first] = await findInOrder(tx, narrowing, { ...place, cursor: undefined });
  return first?.id ?? null;
}

/** Place of a conversation in a view, as if it were still there. */
function placeOf(row: Conversation, view: InboxView, order: InboxOrder): QueueCursor | undefined {
  const newest = [row.sortAt.getTime(), row.id];
  const parts: readonly QueuePart[] | null = viewParts[view];
  if (parts === null || order === "newest") return { part: "newest", keys: newest };
  if (parts.includes("due") && row.customerWaitsSince !== null) {
    return { part: "due", keys: [row.customerWaitsSince.getTime(), ...newest] };
  }
  if (row.snoozedUntil !== null && !parts.includes("due")) {
    return { part: "snoozed", keys: [row.snoozedUntil.getTime(), row.id] };
  }
  return parts.includes("quiet") ? { part: "quiet", keys: newest } : undefined;
}

interface Found extends QueueCursor {
  id: number;
}

async function findInOrder(
  tx: Tx,
  narrowing: Condition[],
  { view, order, limit, cursor }: Required<Omit<ViewBounds, "cursor">> & Pick<ViewBounds, "cursor">,
): Promise<Found[]> {
  const parts: readonly QueueCursor["part"][] =
    order === "newest" ? ["newest"] : (viewParts[view] ?? ["newest"]);
  const first = cursor === undefined ? 0 : parts.indexOf(cursor.part);
  if (first < 0) {
    throw invalidField("query.cursor", "unknown_cursor", "Use `next` of the same view and order.");
  }
  const found: Found[] = [];
  for (const part of parts.slice(first)) {
    if (found.length >= limit) break;
    const beyond = cursor?.part === part ? [conditionBeyond(part, cursor.keys)] : [];
    const conditions = [...narrowing, ...beyond];
    found.push(...(await findInPart(tx, view, part, conditions, limit - found.length)));
  }
  return found;
}

const orders: Record<QueueCursor["part"], { columns: string[]; direction: "ASC" | "DESC" }> = {
  due: { columns: ["customer_waits_since", "sort_at", "id"], direction: "ASC" },
  quiet: { columns: ["sort_at", "id"], direction: "DESC" },
  snoozed: { columns: ["snoozed_until", "id"], direction: "ASC" },
  newest: { columns: ["sort_at", "id"], direction: "DESC" },
};

async function findInPart(
  tx: Tx,
  view: InboxView,
  part: QueueCursor["part"],
  conditions: Condition[],
  limit: number,
): Promise<Found[]> {
  const { columns, direction } = orders[part];
  const orderBy = `ORDER BY ${columns.map((name) => `c.${name} ${direction}`).join(", ")} LIMIT ?`;
  const selected = columns.map((name) => `c.${name}`).join(", ");
  const branches = branchesOf(tx, view, part).map(({ index, where }): SqlPart => {
    const { sql, values } = allOf([...where, ...conditions]);
    const hint = index === null ? "" : ` FORCE INDEX (${index})`;
    return {
      sql: `(SELECT ${selected} FROM conversations c${hint} WHERE ${sql} ${orderBy})`,
      values: [...values, limit],
    };
  });
  const rows = await tx.manager.query<Record<string, Date | number>[]>(
    `SELECT ${selected} FROM (${branches.map(({ sql }) => sql).join(" UNION ALL ")}) c ${orderBy}`,
    [...branches.flatMap(({ values }) => values), limit],
  );
  return rows.map((row) => ({
    part,
    id: Number(row["id"]),
    keys: columns.map((name) => Number(row[name])),
  }));
}

interface Branch {
  /** Null where MySQL chooses. */
  index: string | null;
  where: Condition[];
}

/**
 * Selections that together are a part of a view. An index is sorted only behind equal values. So
 * each status, and the few conversations whose snooze has just ended, are read for themselves.
 */
function branchesOf(tx: Tx, view: InboxView, part: QueueCursor["part"]): Branch[] {
  if (part === "newest") {
    const index = view === "resolved" || view === "all" ? indexOfView(view) : null;
    return [{ index, where: conditionsOfView(tx, view) }];
  }
  const own = assigneeOf(tx, view);
  if (part !== "snoozed") return selectionsOfPart(tx, part, own);
  const { index, where } = selectionOfSnoozed(tx, own);
  // Without an assignee the index of snoozes is in the order of the part.
  return [{ index: own.length > 0 ? index : "conversations_snoozed", where }];
}

/** Selections of the conversations in which the customer waits, or nobody. */
function selectionsOfPart(tx: Tx, part: Exclude<QueuePart, "snoozed">, own: Condition[]) {
  const index = queueIndex(own);
  const account: Condition = ["c.account_id = ?", tx.actor.accountId];
  const never: Condition = ["c.snoozed_until IS NULL"];
  const ended: Condition = ["c.snoozed_until <= ?", tx.now];
  const waits: Condition = [`c.customer_waits_since IS ${part === "due" ? "NOT NULL" : "NULL"}`];
  return [
    ...openStatuses.map((status) => {
      const inStatus: Condition = ["c.status = ?", status];
      return { index, where: [account, ...own, inStatus, never, waits] };
    }),
    { index, where: [account, ...own, isOpen, ended, waits] },
  ];
}

function selectionOfSnoozed(tx: Tx, own: Condition[]) {
  const account: Condition = ["c.account_id = ?", tx.actor.accountId];
  const snoozed: Condition = [partSql.snoozed, tx.now];
  return { index: queueIndex(own), where: [account, ...own, isOpen, snoozed] };
}

function queueIndex(own: Condition[]): string {
  return own.length > 0 ? "conversations_assignee_queue" : "conversations_queue";
}

/** Rows that come after these values, in the order of their part. */
function conditionBeyond(part: QueueCursor["part"], keys: number[]): Condition {
  const { columns, direction } = orders[part];
  const sign = direction === "ASC" ? ">" : "<";
  const values = keys.map((key, index) => (index === keys.length - 1 ? key : new Date(key)));
  const [first = "id", ...rest] = columns;
  return [
    `c.${first} ${sign}= ? AND ${beyond([first, ...rest], sign)}`,
    values[0],
    ...valuesBeyond(values),
  ];
}

/** `(a > ? OR (a = ? AND (b > ?)))`: MySQL reads a range by it, unlike by a comparison of rows. */
function beyond([name = "id", ...rest]: string[], sign: string): string {
  if (rest.length === 0) return `c.${name} ${sign} ?`;
  return `(c.${name} ${sign} ? OR (c.${name} = ? AND ${beyond(rest, sign)}))`;
}

function valuesBeyond([value, ...rest]: unknown[]): unknown[] {
  return rest.length === 0 ? [value] : [value, value, ...valuesBeyond(rest)];
}
