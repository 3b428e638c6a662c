import type { Tx } from "../../../db/transaction.ts";
import { maxVisits, type ContactVisitsView, type StoredVisit } from "../../model/visits.ts";
import type { SiteContext } from "../../model/site-context.ts";
import type { VisitedPage } from "../../model/widget-visit.ts";
import { getContact } from "../contacts/contacts.ts";

/** Sessions of a contact that are read. A person with more browsers than that has older ones left out. */
const maxSessions = 20;

interface Row {
  page: VisitedPage | null;
  visits: StoredVisit[] | null;
  context: SiteContext | null;
  endedAt: Date | null;
}

/**
 * The page that a contact is on, what the site tells of the contact, and the contact's visits, of all browsers.
 * @throws AppError `contact_not_found`
 */
export async function readContactVisits(tx: Tx, contactId: number): Promise<ContactVisitsView> {
  await getContact(tx, contactId);
  const rows = await tx.manager.query<Row[]>(
    `SELECT page, visits, context, ended_at AS endedAt FROM widget_sessions
      WHERE contact_id = ? AND account_id = ? ORDER BY id DESC LIMIT ?`,
    [contactId, tx.actor.accountId, maxSessions],
  );
  const visits = rows
    .flatMap((row) => row.visits ?? [])
    .toSorted((one, other) => other.page_at.localeCompare(one.page_at));
  return {
    page: readPage(rows),
    context:
      rows.find(({ context, endedAt }) => context !== null && endedAt === null)?.context ?? {},
    visits: visits.slice(0, maxVisits).map((one) => ({ ...one, referrer: one.referrer || null })),
  };
}

/** The page of the browser that moved last. */
function readPage(rows: readonly Row[]): ContactVisitsView["page"] {
  const pages = rows.flatMap(({ page, visits, endedAt }) => {
    const at = visits?.at(-1)?.page_at;
    if (page === null || at === undefined || endedAt !== null) return [];
    return [{ url: page.url, title: page.title, at }];
  });
  return pages.toSorted((one, other) => other.at.localeCompare(one.at))[0] ?? null;
}
