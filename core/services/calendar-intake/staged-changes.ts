import type { MappedEvent } from "../../calendars/google-mapping.ts";
import type { CalendarEventRow, CalendarLink } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";

/** An event that becomes an appointment. */
export type BookableEvent = Extract<MappedEvent, { kind: "appointment" }>;
type StagedChange =
  | { kind: "vanished"; row: CalendarEventRow }
  | { kind: "appeared"; event: BookableEvent };

/** Keeps an instance of a series until the reading has named the others. */
export async function stageChange(tx: Tx, link: CalendarLink, change: StagedChange): Promise<void> {
  const { eventId, seriesId } = change.kind === "vanished" ? change.row : change.event.facts;
  const body = change.kind === "vanished" ? null : JSON.stringify(change.event);
  await tx.manager.query(
    `INSERT INTO calendar_changes (account_id, link_id, event_id, series_id, kind, body, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) AS given
     ON DUPLICATE KEY UPDATE kind = given.kind, body = given.body, created_at = given.created_at`,
    [link.accountId, link.id, eventId, seriesId ?? eventId, change.kind, body, tx.now],
  );
}
