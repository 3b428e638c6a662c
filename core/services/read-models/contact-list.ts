import { In } from "typeorm";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { RestChannel } from "../../model/channels.ts";
import type { ContactCursor, ContactOrder } from "../../model/contact-list.ts";
import type { LogPage } from "../../model/page.ts";
import { mostCounted } from "../../model/wire.ts";
import { loadRecords, presentContact, type ContactRecord } from "../contacts/contact-records.ts";
import { contactConditions, type ContactFilter } from "../contacts/contacts.ts";
import { loadStagesOf } from "../pipelines/contact-stages.ts";
import { countUpTo, cutPage, inOrder, placeholders, type SqlPart } from "../sql.ts";

interface ListBounds {
  order: ContactOrder;
  limit: number;
  cursor?: ContactCursor | undefined;
}

/**
 * Contacts in the order of their last activity, a page by key, with the number of matches up to
 * 10,000.
 */
export async function listByActivity(
  tx: Tx,
  filter: ContactFilter,
  { order, limit, cursor }: ListBounds,
): Promise<LogPage<ContactRecord, ContactCursor>> {
  const matching = fromMatching(tx, filter);
  const beyond = cursor === undefined ? nothing : conditionBeyond(order, cursor);
  const direction = order === "active" ? "DESC" : "ASC";
  const found = await tx.manager.query<{ id: number; at: Date }[]>(
    `SELECT c.id, c.last_activity_at AS at ${matching.sql} ${beyond.sql}
      ORDER BY c.last_activity_at ${direction}, c.id ${direction} LIMIT ?`,
    // One row more shows if another page follows.
    [...matching.values, ...beyond.values, limit + 1],
  );
  const { page, next } = cutPage(found, limit);
  const ids = page.map(({ id }) => id);
  const rows = inOrder(ids, await tx.manager.findBy(Contact, { id: In(ids) }));
  return {
    rows: await loadRecords(tx, rows),
    next: next === null ? null : { at: next.at.getTime(), id: next.id },
    ...(await countUpTo(tx, matching, { cap: mostCounted, known: page.length })),
  };
}

const nothing: SqlPart = { sql: "", values: [] };

/**
 * All contacts are walked in the order of an index, and so are those without an assignee, as most
 * are. A search reads the index that covers it, as the optimiser would rather read every row. Any
 * other filter names few contacts, and is read first.
 */
function fromMatching(tx: Tx, filter: ContactFilter): SqlPart {
  const { sql, values } = contactConditions(tx, filter);
  const isWide = Object.values(filter).every((value) => value === undefined || value === null);
  const index = isWide ? "FORCE INDEX (contacts_activity)" : "";
  const hint = filter.search === undefined ? index : "FORCE INDEX (contacts_search)";
  return { sql: `FROM contacts c ${hint} WHERE ${sql}`, values };
}

function conditionBeyond(order: ContactOrder, { at, id }: ContactCursor): SqlPart {
  const sign = order === "active" ? "<" : ">";
  const moment = new Date(at);
  return {
    sql: `AND c.last_activity_at ${sign}= ? AND (c.last_activity_at ${sign} ? OR c.id ${sign} ?)`,
    values: [moment, moment, id],
  };
}

/** Rows of the contact list: the contact with its channel, stage, assignee and last activity. */
export async function presentContactRows(tx: Tx, records: ContactRecord[]) {
  const ids = records.map(({ row }) => row.id);
  const places = await loadPlacesOf(tx, ids);
  const stages = await loadStagesOf(tx, ids);
  return records.map((record) => {
    const { id, lastActivityAt } = record.row;
    const own = places.filter(({ contact_id: contactId }) => contactId === id);
    return {
      ...presentContact(record),
      channel: own[0]?.channel ?? null,
      assigned_to_user_id: own.find(({ assignee }) => assignee !== null)?.assignee ?? null,
      stage: stages.get(id) ?? null,
      last_activity_at: lastActivityAt.toISOString(),
    };
  });
}

interface Place {
  contact_id: number;
  channel: RestChannel;
  assignee: number | null;
}

/** The conversations of the contacts, the one with the newest message first. */
async function loadPlacesOf(tx: Tx, contactIds: number[]): Promise<Place[]> {
  if (contactIds.length === 0) return [];
  return await tx.manager.query(
    `SELECT contact_id, channel, assigned_to_user_id AS assignee
       FROM conversations FORCE INDEX (conversations_contact)
      WHERE contact_id IN (${placeholders(contactIds)}) AND account_id = ?
      ORDER BY sort_at DESC, id DESC`,
    [...contactIds, tx.actor.accountId],
  );
}
