import { In } from "typeorm";
import type { EventCustomer, MappedEvent } from "../../calendars/google-mapping.ts";
import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarEventRow, type CalendarLink } from "../../../db/entities/calendar-link.ts";
import { BusyBlock } from "../../../db/entities/calendar-read.ts";
import { Contact } from "../../../db/entities/contact.ts";
import type { Tx } from "../../../db/transaction.ts";
import { phoneKey } from "../../model/contact.ts";
import { lockResources } from "../appointments/resource-times.ts";
import { lockContacts } from "../contacts/contact-locks.ts";

/** Events of one page, with everything that is known of them. */
export interface IntakeBatch {
  link: CalendarLink;
  /** Moment before the page was read. */
  readAt: Date;
  /** First reading: members get no notification of single bookings. */
  isFirstReading: boolean;
  /** Instances of series wait for the end of the reading, since they may only have changed ids. */
  pairsSeries: boolean;
  /** Events that begin later are left for another day. */
  horizon: Date;
  rows: Map<string, CalendarEventRow>;
  appointments: Map<number, Appointment>;
  /** Events whose time is blocked. */
  blocked: Map<string, BusyBlock>;
}

/** Id of an event, whatever it means. */
export function eventIdOf(event: MappedEvent): string {
  return "facts" in event ? event.facts.eventId : event.eventId;
}

/**
 * Loads what is known of the events, and locks contacts, resources and appointments in the order of
 * every transaction that changes them.
 */
export async function loadBatch(
  tx: Tx,
  link: CalendarLink,
  events: readonly MappedEvent[],
): Promise<Pick<IntakeBatch, "rows" | "appointments" | "blocked">> {
  const eventIds = events.map(eventIdOf);
  const rows = await findRows(tx, link, eventIds);
  const { accountId } = tx.actor;
  const appointmentIds = rows.map(({ appointmentId }) => appointmentId);
  const seen = await tx.manager.findBy(Appointment, { accountId, id: In(appointmentIds) });
  const customers = events.flatMap((one) => (one.kind === "appointment" ? [one.customer] : []));
  const contactIds = [
    ...seen.map(({ contactId }) => contactId),
    ...(await findContactIds(tx, customers)),
  ];
  await lockContacts(tx, [...new Set(contactIds)]);
  const resourceIds = [link.resourceId, ...seen.map(({ resourceId }) => resourceId)];
  await lockResources(tx, [...new Set(resourceIds)]);
  const appointments = await tx.manager.find(Appointment, {
    where: { accountId, id: In(appointmentIds) },
    order: { id: "ASC" },
    lock: { mode: "pessimistic_write" },
  });
  const { connectionId, resourceId } = link;
  const blocks = await tx.manager.findBy(BusyBlock, {
    resourceId,
    connectionId,
    eventId: In(eventIds),
  });
  return {
    rows: new Map(rows.map((row) => [row.eventId, row])),
    appointments: new Map(appointments.map((row) => [row.id, row])),
    blocked: new Map(blocks.map((block) => [block.eventId, block])),
  };
}

/**
 * Rows of the events, also of a link that was removed before: the calendar is connected again, and
 * its events have their appointments still.
 */
async function findRows(
  tx: Tx,
  link: CalendarLink,
  eventIds: string[],
): Promise<CalendarEventRow[]> {
  const { accountId } = tx.actor;
  const found = await tx.manager.findBy(CalendarEventRow, { accountId, eventId: In(eventIds) });
  const own = found.filter(({ linkId }) => linkId === link.id);
  const known = new Set(own.map(({ eventId }) => eventId));
  const others = found.filter(({ linkId, eventId }) => linkId !== link.id && !known.has(eventId));
  if (others.length === 0) return own;
  const orphans = await tx.manager.query<{ id: number }[]>(
    `SELECT e.id FROM calendar_events e
       JOIN appointments a ON a.id = e.appointment_id AND a.resource_id = ?
       LEFT JOIN calendar_links l ON l.id = e.link_id
      WHERE e.id IN (?) AND l.id IS NULL`,
    [link.resourceId, others.map(({ id }) => id)],
  );
  const ids = new Set(orphans.map(({ id }) => Number(id)));
  const adopted = others.filter(({ id }) => ids.has(id));
  for (const row of adopted) {
    // An appointment that has got an event of ours here keeps both.
    const { affectedRows } = await tx.manager.query<{ affectedRows: number }>(
      "UPDATE IGNORE calendar_events SET link_id = ? WHERE id = ?",
      [link.id, row.id],
    );
    if (affectedRows > 0) row.linkId = link.id;
  }
  return [...own, ...adopted];
}

async function findContactIds(tx: Tx, customers: readonly EventCustomer[]): Promise<number[]> {
  const keys = customers.flatMap(({ phone }) => (phone === null ? [] : [phoneKey(phone)]));
  const emails = customers.flatMap(({ email }) => (email === null ? [] : [email]));
  const { accountId } = tx.actor;
  const where = [
    ...(keys.length === 0 ? [] : [{ accountId, phoneKey: In(keys) }]),
    ...(emails.length === 0 ? [] : [{ accountId, email: In(emails) }]),
  ];
  if (where.length === 0) return [];
  const rows = await tx.manager.find(Contact, { select: { id: true }, where });
  return rows.map(({ id }) => id);
}
