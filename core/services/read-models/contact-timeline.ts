import { bytesToUuid, uuidToBytes } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { EventType } from "../../model/event-types.ts";
import { timelineFactsOf, type EventEnvelope } from "../../model/events.ts";
import type { LogPage } from "../../model/page.ts";
import type { TimelineEntry } from "../../model/views/contact.ts";
import { getContactRow } from "../contacts/contact-records.ts";
import { cutPage, placeholders } from "../sql.ts";

type TimelineDelivery = TimelineEntry["deliveries"][number];

interface EventRow {
  id: Buffer;
  type: EventType;
  conversation_id: number | null;
  appointment_id: number | null;
  body: Buffer | null;
  occurred_at: Date;
}

/**
 * Events of a contact and of the contacts merged into it, newest first, before one event. Goes back
 * as far as events are kept.
 * @throws AppError `contact_not_found`
 */
export async function listTimeline(
  tx: Tx,
  contactId: number,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<Pick<LogPage<TimelineEntry, string>, "rows" | "next">> {
  await getContactRow(tx, contactId);
  const found: EventRow[] = [];
  // One query per contact: a query for several would sort all their rows.
  for (const id of [contactId, ...(await listMerged(tx, contactId))]) {
    found.push(...(await listNewestEvents(tx, id, { limit: limit + 1, before })));
  }
  found.sort((one, other) => Buffer.compare(other.id, one.id));
  const { page, next } = cutPage(found, limit);
  const deliveries = await listDeliveriesOf(tx, page);
  return {
    rows: page.map((row) => presentEntry(row, deliveries)),
    next: next && bytesToUuid(next.id),
  };
}

async function listMerged(tx: Tx, contactId: number): Promise<number[]> {
  const rows = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM contacts FORCE INDEX (contacts_newest)
      WHERE account_id = ? AND merged_into_id = ?`,
    [tx.actor.accountId, contactId],
  );
  return rows.map(({ id }) => id);
}

/** Ids of events grow with time, so their order is the order of time. */
async function listNewestEvents(
  tx: Tx,
  contactId: number,
  { limit, before }: { limit: number; before: string | undefined },
): Promise<EventRow[]> {
  const values = [contactId, tx.actor.accountId];
  return await tx.manager.query<EventRow[]>(
    `SELECT id, type, conversation_id, appointment_id, body, occurred_at
       FROM events FORCE INDEX (events_contact)
      WHERE contact_id = ? AND account_id = ?${before === undefined ? "" : " AND id < ?"}
      ORDER BY id DESC LIMIT ?`,
    [...values, ...(before === undefined ? [] : [uuidToBytes(before)]), limit],
  );
}

/** The deliveries of each event, by its id in hex. */
async function listDeliveriesOf(
  tx: Tx,
  events: EventRow[],
): Promise<Map<string, TimelineDelivery[]>> {
  const byEvent = new Map(events.map(({ id }) => [id.toString("hex"), [] as TimelineDelivery[]]));
  if (events.length === 0) return byEvent;
  const rows = await tx.manager.query<(TimelineDelivery & { event_id: Buffer })[]>(
    `SELECT d.event_id, d.id, d.subscription_id, s.name AS subscription_name, d.state
       FROM deliveries d FORCE INDEX (deliveries_event_subscription)
       STRAIGHT_JOIN subscriptions s ON s.id = d.subscription_id
      WHERE d.event_id IN (${placeholders(events)}) AND d.account_id = ?`,
    [...events.map(({ id }) => id), tx.actor.accountId],
  );
  for (const { event_id: eventId, ...delivery } of rows) {
    byEvent.get(eventId.toString("hex"))?.push(delivery);
  }
  return byEvent;
}

function presentEntry(row: EventRow, deliveries: Map<string, TimelineDelivery[]>): TimelineEntry {
  return {
    event_id: bytesToUuid(row.id),
    event_type: row.type,
    occurred_at: row.occurred_at.toISOString(),
    conversation_id: row.conversation_id,
    appointment_id: row.appointment_id,
    facts: row.body === null ? {} : timelineFactsOf(readEnvelope(row.body)),
    deliveries: deliveries.get(row.id.toString("hex")) ?? [],
  };
}

/** A stored event matched the catalogue of its time, and the catalogue only ever grows. */
function readEnvelope(body: Buffer): EventEnvelope {
  return JSON.parse(body.toString("utf8")) as EventEnvelope;
}
