import { CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { dayMs } from "../../model/durations.ts";
import { request } from "../outbox/outbox.ts";
import { dropLink, requestCalendarRead } from "./calendar-reads.ts";
import { syncCommand } from "./calendar-requests.ts";

/** Appointments whose events one link requests at once. `reconcile` requests the others. */
const mostAtOnce = 500;
/** Events before this age are left alone: no reading of a calendar reaches them. */
const pastMs = 2 * dayMs;

/**
 * Begins the work of a link that is new, connected again, or changed: future appointments of the
 * agenda get their events, and the whole calendar is read.
 */
export async function beginLink(tx: Tx, link: CalendarLink): Promise<void> {
  await adoptEvents(tx, link);
  if (link.direction !== "busy_only") await requestEvents(tx, link);
  if (link.direction === "write_only") await dropLink(tx, link);
  else await readAnew(tx, link);
}

/** Ends the work of a link, before its row goes or while its account is disconnected. */
export async function endLink(tx: Tx, link: CalendarLink): Promise<void> {
  await dropLink(tx, link);
}

/** Another use of the events gives known ones another meaning, so the list begins anew. */
async function readAnew(tx: Tx, { id, accountId }: CalendarLink): Promise<void> {
  const place = { phase: "full", syncToken: null, pageToken: null } as const;
  await tx.manager.update(CalendarLink, { id, accountId }, place);
  await requestCalendarRead(tx, id);
}

/**
 * Takes over the events that an earlier link of the agenda has made. Otherwise they would come back
 * as events of somebody else. An event that is on another calendar is made anew by its next write.
 */
async function adoptEvents(tx: Tx, { id, accountId, resourceId }: CalendarLink): Promise<void> {
  await tx.manager.query(
    `UPDATE IGNORE calendar_events e
       JOIN appointments a ON a.id = e.appointment_id
       LEFT JOIN calendar_links l ON l.id = e.link_id
        SET e.link_id = ?
      WHERE a.account_id = ? AND a.resource_id = ? AND a.start_time > ? AND l.id IS NULL`,
    [id, accountId, resourceId, new Date(tx.now.getTime() - pastMs)],
  );
}

async function requestEvents(tx: Tx, { accountId, resourceId }: CalendarLink): Promise<void> {
  const future = `FROM appointments
      WHERE account_id = ? AND resource_id = ? AND status = 'confirmed' AND start_time > ?`;
  const values = [accountId, resourceId, tx.now];
  await tx.manager.query(
    `INSERT INTO calendar_syncs (appointment_id, account_id, version, requested_at)
     SELECT id, account_id, version, ? ${future}
     ON DUPLICATE KEY UPDATE version = VALUES(version), requested_at = VALUES(requested_at)`,
    [tx.now, ...values],
  );
  const rows = await tx.manager.query<
    { id: number; conversation_id: number | null; version: number }[]
  >(
    `SELECT id, conversation_id, version ${future} ORDER BY start_time LIMIT ${mostAtOnce}`,
    values,
  );
  for (const { id, conversation_id: conversationId, version } of rows) {
    // A run of this version may have ended while there was no calendar.
    const command = syncCommand({ id, accountId, conversationId }, version);
    await request(tx, { ...command, again: true });
  }
}
