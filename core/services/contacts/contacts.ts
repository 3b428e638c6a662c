import { In } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, WriteConflict } from "../../errors.ts";
import type { RestChannel } from "../../model/channels.ts";
import { phoneKey, type ContactPatchBody } from "../../model/contact.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { changeContact, sentIdentifiers } from "./contact-changes.ts";
import type { ContactConversation } from "./contact-conversations.ts";
import { lockOwners } from "./contact-owners.ts";
import { getContactRow, loadRecord, loadRecords, type ContactRecord } from "./contact-records.ts";
import {
  allOf,
  contactSearch,
  countList,
  countRows,
  inOrder,
  type Count,
  type SqlPart,
} from "../sql.ts";

/**
 * The account's contacts, newest first, with the number of matches.
 * @param cap where the count stops; without a cap all matches are counted.
 */
export async function listContacts(
  tx: Tx,
  { limit, offset, ...filter }: ContactFilter & PageBounds,
  cap?: number,
): Promise<Page<ContactRecord>> {
  const page = { limit, offset };
  const { ids, ...count } = Object.values(filter).every((value) => value === undefined)
    ? await pageOfAll(tx, page, cap)
    : await pageOfMatching(tx, filter, page, cap);
  const found = await tx.manager.findBy(Contact, { id: In(ids) });
  return { rows: await loadRecords(tx, inOrder(ids, found)), ...count };
}

/** Filters of a list of contacts. A contact must match all of them. */
export interface ContactFilter {
  /** Part of a name, an email or a phone. */
  search?: string | undefined;
  tag?: string | undefined;
  /** A stage that the contact is in. */
  stage_id?: number | undefined;
  /** A channel on which the contact has a conversation. */
  channel?: RestChannel | undefined;
  /** Assignee of one of the contact's conversations; null for contacts without an assignee. */
  assigned_to_user_id?: number | null | undefined;
}

interface PageOfIds extends Count {
  ids: number[];
}

/** Ids alone, so that a page far down skips rows in the index without reading them. */
async function pageOfAll(
  tx: Tx,
  { limit, offset }: PageBounds,
  cap: number | undefined,
): Promise<PageOfIds> {
  const { accountId } = tx.actor;
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT c.id FROM contacts c FORCE INDEX (contacts_newest)
      WHERE c.account_id = ? AND c.merged_into_id IS NULL
      ORDER BY c.created_at DESC, c.id DESC LIMIT ? OFFSET ?`,
    [accountId, limit, offset],
  );
  const ids = rows.map(({ id }) => id);
  if (cap === undefined) return { ids, total: await countUnmerged(tx), totalAtLeast: false };
  const from = `FROM contacts FORCE INDEX (contacts_newest)
    WHERE account_id = ? AND merged_into_id IS NULL`;
  const page = { offset, rows: ids.length, cap };
  return { ids, ...(await countList(tx, { sql: from, values: [accountId] }, page)) };
}

/** All contacts less the few that were merged. A check of each contact would take twice as long. */
async function countUnmerged(tx: Tx): Promise<number> {
  const rows = "SELECT COUNT(*) FROM contacts FORCE INDEX (contacts_newest) WHERE account_id = ?";
  const [count] = await tx.manager.query<{ total: number }[]>(
    `SELECT (${rows}) - (${rows} AND merged_into_id IS NOT NULL) AS total`,
    [tx.actor.accountId, tx.actor.accountId],
  );
  return Number(count?.total ?? 0);
}

/**
 * Rows and total in one pass over an index that covers the query. The index is forced because the
 * optimiser would rather read every row.
 */
async function pageOfMatching(
  tx: Tx,
  filter: ContactFilter,
  { limit, offset }: PageBounds,
  cap: number | undefined,
): Promise<PageOfIds> {
  const { sql: where, values } = contactConditions(tx, filter);
  const from = `FROM contacts c FORCE INDEX (contacts_search) WHERE ${where}`;
  const most = cap ?? Number.POSITIVE_INFINITY;
  const asCounted = (total: number): Count => ({
    total: Math.min(total, most),
    totalAtLeast: total > most,
  });
  const page = await tx.manager.query<{ id: number; total: number }[]>(
    `SELECT c.id, COUNT(*) OVER () AS total ${from} ORDER BY c.created_at DESC, c.id DESC LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  );
  const [first] = page;
  if (first !== undefined || offset === 0) {
    return { ids: page.map(({ id }) => id), ...asCounted(Number(first?.total ?? 0)) };
  }
  // A page beyond the last row has no row that could carry the total.
  return { ids: [], ...asCounted(await countRows(tx, { sql: from, values })) };
}

/** The conditions of a filter, on the contact `c` of the account. */
export function contactConditions(tx: Tx, filter: ContactFilter): SqlPart {
  const { accountId } = tx.actor;
  const { search, tag, stage_id: stageId, channel, assigned_to_user_id: assignee } = filter;
  const conditions: [string, ...unknown[]][] = [
    ["c.account_id = ?", accountId],
    ["c.merged_into_id IS NULL"],
  ];
  if (search !== undefined) {
    const matching = contactSearch("c", search);
    conditions.push([matching.sql, ...matching.values]);
  }
  const among = (list: string, ...values: unknown[]) =>
    conditions.push([`c.id IN (SELECT l.contact_id FROM ${list})`, ...values]);
  if (tag !== undefined)
    among("contact_tags l WHERE l.account_id = ? AND l.tag = ?", accountId, tag);
  if (stageId !== undefined) {
    among("contact_stages l WHERE l.stage_id = ? AND l.account_id = ?", stageId, accountId);
  }
  const talks = "conversations l WHERE l.account_id = ?";
  if (channel !== undefined) among(`${talks} AND l.channel = ?`, accountId, channel);
  if (typeof assignee === "number") {
    among(`${talks} AND l.assigned_to_user_id = ?`, accountId, assignee);
  }
  if (assignee === null) {
    conditions.push([
      `NOT EXISTS (SELECT 1 FROM conversations l FORCE INDEX (conversations_contact)
        WHERE l.contact_id = c.id AND l.assigned_to_user_id IS NOT NULL)`,
    ]);
  }
  return allOf(conditions);
}

/**
 * @throws AppError `contact_not_found`; with `details.merged_into` for a contact that was merged
 *   into another one.
 */
export async function getContact(tx: Tx, id: number): Promise<ContactRecord> {
  return await loadRecord(tx, await getContactRow(tx, id));
}

/**
 * Changes the fields that are sent; null clears a field. Rule C19.
 * @param conversation of the change, if it happened in one.
 * @throws AppError `contact_not_found`, `contact_conflict`, `contact_needs_identifier`.
 */
export async function updateContact(
  tx: Tx,
  id: number,
  body: ContactPatchBody,
  conversation: ContactConversation | null = null,
): Promise<ContactRecord> {
  const key = typeof body.phone === "string" ? phoneKey(body.phone) : null;
  const [owners] = await lockOwners(tx, [{ phoneKey: key, email: body.email ?? null }], { id });
  if (!owners) throw new WriteConflict();
  const before = await loadRecord(tx, await getContactRow(tx, id));
  const owner = [owners.byPhone, owners.byEmail].find((row) => row !== null && row.id !== id);
  if (owner) throw new AppError("contact_conflict", { details: { contact_id: owner.id } });
  return await changeContact(tx, before, sentIdentifiers(body, key), { conversation });
}
