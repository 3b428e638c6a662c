import { In } from "typeorm";
import { Conversation } from "../../db/entities/conversation.ts";
import type { Tx } from "../../db/transaction.ts";
import type { RestChannel } from "../model/channels.ts";
import type { ConversationStatus } from "../model/conversation.ts";
import { contactSearch, inOrder } from "./sql.ts";

/** What a list of conversations can be narrowed by, all of it together. */
export interface ConversationFilter {
  status?: ConversationStatus | undefined;
  channel?: RestChannel | undefined;
  contact_id?: number | undefined;
  /** Null: those that nobody is assigned to. */
  assigned_to_user_id?: number | null | undefined;
  unread?: boolean | undefined;
  /** Part of the contact's name, email or phone. */
  search?: string | undefined;
}

/** The account's conversations, those with the newest message first, and how many match. */
export async function listConversations(
  tx: Tx,
  { limit, offset, ...filter }: ConversationFilter & { limit: number; offset: number },
): Promise<{ rows: Conversation[]; total: number }> {
  const { where, values } = conditionsOf(tx, filter);
  const from = `conversations c${hintFor(filter)}`;
  const [count] = await tx.manager.query<{ total: number }[]>(
    `SELECT COUNT(*) AS total FROM ${from} WHERE ${where}`,
    values,
  );
  // Ids alone first: a page far down then reads the index, not the rows it passes over.
  const page = await tx.manager.query<{ id: number }[]>(
    `SELECT c.id FROM ${from} WHERE ${where} ORDER BY c.sort_at DESC, c.id DESC LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  );
  const ids = page.map(({ id }) => id);
  const found = await tx.manager.findBy(Conversation, { id: In(ids) });
  return { rows: inOrder(ids, found), total: Number(count?.total ?? 0) };
}

/** Of several indexes that begin with the account, MySQL may take one that is in another order. */
function hintFor({ unread, ...others }: ConversationFilter): string {
  const narrowed = Object.values(others).some((value) => value !== undefined);
  return unread === true && !narrowed ? " FORCE INDEX (conversations_newest)" : "";
}

function conditionsOf(tx: Tx, filter: ConversationFilter): { where: string; values: unknown[] } {
  const conditions: [string, ...unknown[]][] = [["c.account_id = ?", tx.actor.accountId]];
  const { status, channel, contact_id: contactId, assigned_to_user_id: assignee } = filter;
  if (status !== undefined) conditions.push(["c.status = ?", status]);
  if (channel !== undefined) conditions.push(["c.channel = ?", channel]);
  if (contactId !== undefined) conditions.push(["c.contact_id = ?", contactId]);
  if (assignee === null) conditions.push(["c.assigned_to_user_id IS NULL"]);
  else if (assignee !== undefined) conditions.push(["c.assigned_to_user_id = ?", assignee]);
  if (filter.unread === true) conditions.push(["c.unread_count > 0"]);
  if (filter.search !== undefined) conditions.push(searchCondition(tx, filter.search));
  return {
    where: conditions.map(([condition]) => condition).join(" AND "),
    values: conditions.flatMap(([, ...values]) => values),
  };
}

function searchCondition(tx: Tx, search: string): [string, ...unknown[]] {
  const matching = contactSearch("k", search);
  return [
    `c.contact_id IN (SELECT k.id FROM contacts k FORCE INDEX (contacts_search)
       WHERE k.account_id = ? AND ${matching.sql})`,
    tx.actor.accountId,
    ...matching.values,
  ];
}
