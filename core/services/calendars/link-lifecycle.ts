import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs } from "../../model/durations.ts";
import { request } from "../outbox/outbox.ts";
import { countStep, dropLink, dropStagedChanges, requestCalendarRead } from "./calendar-reads.ts";
import { syncCommand } from "./calendar-requests.ts";

/** Appointments whose events one link requests at once. `reconcile` requests the others. */
const mostAtOnce = 500;
/** Events before this age are left alone: no reading of a calendar reaches them. */
const pastMs = 2 * dayMs;
/**
 * Condition on an appointment `a` without an event on the link: somebody made its event in a
 * calendar of an earlier link. That may be this calendar, so its list has to tell first.
 */
const isAwaited = `(EXISTS (SELECT 1 FROM calendar_events e
       LEFT JOIN calendar_links l ON l.id = e.link_id
      WHERE e.appointment_id = a.id AND e.origin = 'google' AND e.gone_at IS NULL AND l.id IS NULL)
    AND NOT EXISTS (SELECT 1 FROM calendar_events own
      WHERE own.appointment_id = a.id AND own.link_id = ?))`;

/**
 * Begins the work of a link that is new, connected again, or changed: future appointments of the
 * agenda get their events, and the whole calendar is read.
 */
export async function beginLink(tx: Tx, link: CalendarLink): Promise<void> {
  await adoptEvents(tx, link);
  if (link.direction === "write_only") await requestEvents(tx, link, "TRUE", []);
  if (link.direction === "two_way") await requestEvents(tx, link, `NOT ${isAwaited}`, [link.id]);
  if (link.direction === "write_only") await dropLink(tx, link);
  else await readAnew(tx, link);
}

/**
 * Requests events for appointments that no event of the calendar belongs to. Call it once the whole
 * calendar was listed.
 */
export async function requestUnlistedEvents(tx: Tx, link: CalendarLink): Promise<void> {
  await requestEvents(tx, link, isAwaited, [link.id]);
}

/** Ends the work of a link, before its row goes or while its account is disconnected. */
export async function endLink(tx: Tx, link: CalendarLink): Promise<void> {
  await dropLink(tx, link);
}

/** Another use of the events gives known ones another meaning, so the list begins anew. */
async function readAnew(tx: Tx, link: CalendarLink): Promise<void> {
  const { id, accountId } = link;
  const place = { phase: "full", syncToken: null, pageToken: null } as const;
  // Kept instances of an unfinished series are of the meaning before.
  await dropStagedChanges(tx, link);
  await tx.manager.update(CalendarLink, { id, accountId }, { ...place, readStep: countStep });
  await requestCalendarRead(tx, id);
}

/**
 * Takes over the events that an earlier link of the agenda has made. Otherwise they would come back
 * as events of somebody else. Nobody knows that they are on this calendar, so the next write makes
 * them, and the answer to a write under way tells nothing. An event that somebody made in a calendar
 * is taken over when this calendar names it.
 */
async function adoptEvents(tx: Tx, { id, accountId, resourceId }: CalendarLink): Promise<void> {
  await tx.manager.query(
    `UPDATE IGNORE calendar_events e
       JOIN appointments a ON a.id = e.appointment_id
       LEFT JOIN calendar_links l ON l.id = e.link_id
       LEFT JOIN calendar_events theirs ON theirs.appointment_id = e.appointment_id
             AND theirs.origin = 'google' AND theirs.gone_at IS NULL
        SET e.link_id = ?, e.etag = NULL, e.written = NULL, e.writes = e.writes + 1, e.generation = 0
      WHERE a.account_id = ? AND a.resource_id = ? AND a.start_time > ?
        AND e.origin = 'parley' AND l.id IS NULL AND theirs.id IS NULL`,
    [id, accountId, resourceId, new Date(tx.now.getTime() - pastMs)],
  );
}

/** Requests events for those future appointments of the agenda that fulfil a condition. */
async function requestEvents(
  tx: Tx,
  { accountId, resourceId }: CalendarLink,
  condition: string,
  conditionValues: readonly number[],
): Promise<void> {
  // Calendly keeps the copies of its bookings itself.
  const future = `FROM appointments a
      WHERE a.account_id = ? AND a.resource_id = ? AND a.status = 'confirmed' AND a.start_time > ?
        AND NOT EXISTS (SELECT 1 FROM calendly_invitees i WHERE i.appointment_id = a.id
                           AND i.account_id = a.account_id AND i.state IN ('active', 'held'))
        AND ${condition}`;
  const values = [accountId, resourceId, tx.now, ...conditionValues];
  const rows = await tx.manager.query<
    { id: number; conversation_id: number | null; version: number }[]
  >(
    `SELECT a.id, a.conversation_id, a.version ${future} ORDER BY a.start_time LIMIT ${mostAtOnce}`,
    values,
  );
  if (rows.length === 0) return;
  await tx.manager.query(
    `INSERT INTO calendar_syncs (appointment_id, account_id, version, requested_at)
     SELECT a.id, a.account_id, a.version, ? ${future}
     ON DUPLICATE KEY UPDATE version = VALUES(version), requested_at = VALUES(requested_at)`,
    [tx.now, ...values],
  );
  for (const { id, conversation_id: conversationId, version } of rows) {
    // A run of this version may have ended while there was no calendar.
    const command = syncCommand({ id, accountId, conversationId }, version);
    await request(tx, { ...command, again: true });
  }
}
