import { In } from "typeorm";
import { Conversation } from "../../../db/entities/conversation.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RestChannel } from "../../model/channels.ts";
import { openStatuses, type ConversationStatus } from "../../model/conversation.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { requireUserId } from "../accounts/actor.ts";
import {
  allOf,
  contactSearch,
  countList,
  escapeLike,
  inOrder,
  placeholders,
  unlessTooLong,
  type SqlPart,
} from "../sql.ts";

/** Filters for a list of conversations. All of them apply together. */
export interface ConversationFilter {
  status?: ConversationStatus | undefined;
  /** True: conversations that are not resolved. */
  open?: boolean | undefined;
  channel?: RestChannel | undefined;
  contact_id?: number | undefined;
  /** Conversations of several contacts. */
  contact_ids?: number[] | undefined;
  /** Null: conversations without an assignee. */
  assigned_to_user_id?: number | null | undefined;
  unread?: boolean | undefined;
  /** Handed-off conversations with (true) or without (false) an answer of a person. */
  answered?: boolean | undefined;
  /** Conversations of contacts in this stage. */
  stage_id?: number | undefined;
  /** Conversations of contacts with this tag. */
  tag?: string | undefined;
  /** Part of the contact's name, email or phone, or of a recent message. */
  search?: string | undefined;
}

/** A filter in which `assigned_to` names a member, by a word or an id. */
interface WordedFilter {
  assigned_to?: "me" | "nobody" | number | undefined;
}

/** The filter with the id of the assignee. `me` is the person who acts. */
export function withAssignee<Filter extends WordedFilter>(
  tx: Tx,
  { assigned_to: to, ...filter }: Filter,
): Omit<Filter, "assigned_to"> & Pick<ConversationFilter, "assigned_to_user_id"> {
  const assignee = to === "me" ? requireUserId(tx.actor) : to === "nobody" ? null : to;
  return { ...filter, assigned_to_user_id: assignee };
}

/**
 * The account's conversations, by their newest message, with the number of matches.
 * @param cap limit of the count; without a cap all matches are counted.
 */
export async function listConversations(
  tx: Tx,
  { limit, offset, ...filter }: ConversationFilter & PageBounds,
  cap?: number,
): Promise<Page<Conversation>> {
  const where = allOf([
    ["c.account_id = ?", tx.actor.accountId],
    ...(await conditionsOfFilter(tx, filter)),
  ]);
  const from = `conversations c${hintFor(filter)} WHERE ${where.sql}`;
  // Reads ids first, so that a far page reads the index only and not the skipped rows.
  const pageOf = isReadByStatus(filter) ? pageByStatus : pageInOrder;
  const { sql, values } = pageOf({ sql: from, values: where.values }, { limit, offset });
  const ids = (await tx.manager.query<{ id: number }[]>(sql, values)).map(({ id }) => id);
  const found = await tx.manager.findBy(Conversation, { id: In(ids) });
  const all = { sql: `FROM ${from}`, values: where.values };
  const count = await countList(tx, all, { offset, rows: ids.length, cap });
  return { rows: inOrder(ids, found), ...count };
}

const newestFirst = "ORDER BY c.sort_at DESC, c.id DESC LIMIT ?";

function pageInOrder({ sql, values }: SqlPart, { limit, offset }: PageBounds): SqlPart {
  return {
    sql: `SELECT c.id FROM ${sql} ${newestFirst} OFFSET ?`,
    values: [...values, limit, offset],
  };
}

/**
 * The index is sorted within a status only. So each status gives as many rows as the page may need,
 * and only those are sorted.
 */
function pageByStatus({ sql, values }: SqlPart, { limit, offset }: PageBounds): SqlPart {
  const ofOne = `(SELECT c.id, c.sort_at FROM ${sql} AND c.status = ? ${newestFirst})`;
  return {
    sql: `SELECT c.id FROM (${openStatuses.map(() => ofOne).join(" UNION ALL ")}) c ${newestFirst} OFFSET ?`,
    values: openStatuses
      .flatMap((status) => [...values, status, offset + limit])
      .concat(limit, offset),
  };
}

/**
 * True for open conversations, on all channels or one. Other filters leave fewer rows, which MySQL
 * finds without a hint.
 */
function isReadByStatus(filter: ConversationFilter): boolean {
  return filter.open === true && !isNarrowed({ ...filter, open: undefined, channel: undefined });
}

/** Among several indexes on the account, MySQL may choose one in another order. */
function hintFor(filter: ConversationFilter): string {
  const byAnswer = filter.answered !== undefined && !isNarrowed({ ...filter, answered: undefined });
  if (byAnswer || isReadByStatus(filter)) return " FORCE INDEX (conversations_status)";
  if (filter.contact_ids !== undefined) return " FORCE INDEX (conversations_contact)";
  const anyUnread = filter.unread === true && !isNarrowed({ ...filter, unread: undefined });
  return anyUnread ? " FORCE INDEX (conversations_newest)" : "";
}

function isNarrowed(filter: ConversationFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && value !== false);
}

/** The conditions of a filter, on the conversation `c` of an account. */
export async function conditionsOfFilter(
  tx: Tx,
  filter: ConversationFilter,
): Promise<[string, ...unknown[]][]> {
  const conditions = conditionsOfRow(filter);
  if (filter.search !== undefined) {
    const byMessage = await findByMessage(tx, filter.search);
    conditions.push(searchCondition(tx, filter.search, byMessage));
  }
  return conditions;
}

/** The conditions of a filter without its search. */
export function conditionsOfRow(filter: ConversationFilter): [string, ...unknown[]][] {
  const conditions: [string, ...unknown[]][] = [];
  const { status, channel, contact_id: contactId, assigned_to_user_id: assignee } = filter;
  const { answered } = filter;
  if (status !== undefined) conditions.push(["c.status = ?", status]);
  if (filter.open === true) {
    conditions.push([`c.status IN (${placeholders(openStatuses)})`, ...openStatuses]);
  }
  if (channel !== undefined) conditions.push(["c.channel = ?", channel]);
  if (contactId !== undefined) conditions.push(["c.contact_id = ?", contactId]);
  if (filter.contact_ids !== undefined) {
    const ids = filter.contact_ids;
    conditions.push([`c.contact_id IN (${placeholders(ids)})`, ...ids]);
  }
  if (assignee === null) conditions.push(["c.assigned_to_user_id IS NULL"]);
  else if (assignee !== undefined) conditions.push(["c.assigned_to_user_id = ?", assignee]);
  if (answered !== undefined) {
    const answerer = `c.answered_by_user_id IS ${answered ? "NOT NULL" : "NULL"}`;
    conditions.push(["c.status = 'handed_off'"], [answerer]);
  }
  if (filter.unread === true) conditions.push(["c.unread_count > 0"]);
  if (filter.stage_id !== undefined) {
    const inStage = `EXISTS (SELECT 1 FROM contact_stages s FORCE INDEX (contact_stages_contact)
      WHERE s.contact_id = c.contact_id AND s.stage_id = ?)`;
    conditions.push([inStage, filter.stage_id]);
  }
  if (filter.tag !== undefined) {
    const hasTag =
      "EXISTS (SELECT 1 FROM contact_tags t WHERE t.contact_id = c.contact_id AND t.tag = ?)";
    conditions.push([hasTag, filter.tag]);
  }
  return conditions;
}

/** Number of newest conversations that a search reads, and of newest messages in each. */
const searched = { conversations: 500, messages: 50 };
const minTextLength = 2;
/** Time limit of a search through messages. After that only contacts are searched. */
const searchMs = 1_000;

/**
 * Finds conversations with a recent message that contains the text. A full-text index would cost
 * time for each incoming message, and would be read across accounts.
 */
async function findByMessage(tx: Tx, search: string | undefined): Promise<number[]> {
  if (search === undefined || search.length < minTextLength) return [];
  const found = await unlessTooLong(() =>
    tx.manager.query<{ id: number }[]>(
      `SELECT /*+ MAX_EXECUTION_TIME(${searchMs}) */ DISTINCT r.id
       FROM (SELECT id FROM conversations FORCE INDEX (conversations_newest)
              WHERE account_id = ? ORDER BY sort_at DESC, id DESC LIMIT ?) r
       JOIN LATERAL (SELECT content FROM messages FORCE INDEX (messages_conversation)
              WHERE conversation_id = r.id ORDER BY conversation_id DESC, id DESC LIMIT ?) m
      WHERE m.content LIKE ?`,
      [tx.actor.accountId, searched.conversations, searched.messages, `%${escapeLike(search)}%`],
    ),
  );
  return (found ?? []).map(({ id }) => id);
}

function searchCondition(
  tx: Tx,
  search: string,
  byMessage: readonly number[],
): [string, ...unknown[]] {
  const { accountId } = tx.actor;
  const matching = contactSearch("k", search);
  const contacts = `SELECT k.id FROM contacts k FORCE INDEX (contacts_search)
    WHERE k.account_id = ? AND ${matching.sql}`;
  const values = [accountId, ...matching.values];
  if (byMessage.length === 0) return [`c.contact_id IN (${contacts})`, ...values];
  return [
    `c.id IN (SELECT f.id FROM (
       SELECT s.id FROM conversations s WHERE s.account_id = ? AND s.contact_id IN (${contacts})
       UNION SELECT id FROM conversations WHERE id IN (${placeholders(byMessage)})) f)`,
    accountId,
    ...values,
    ...byMessage,
  ];
}
