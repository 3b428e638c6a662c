import type { EventFacts } from "../../calendars/google-mapping.ts";
import { pairInstances, type SeriesInstance } from "../../calendars/series-pairs.ts";
import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarEventRow, type CalendarLink } from "../../../db/entities/calendar-link.ts";
import { CalendarChange } from "../../../db/entities/calendar-read.ts";
import type { Tx } from "../../../db/transaction.ts";
import { isAgreed, isSameTime } from "../../model/appointment.ts";
import { isForeignTime, listWantedTimes } from "../calendars/calendar-conflicts.ts";
import { repeatCalendarSync } from "../calendars/calendar-requests.ts";
import { findContactIdByEmail, findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { moveExternal } from "../appointments/external-appointments.ts";
import { insertOrLose } from "../sql.ts";
import { bookEvent, endAppointment, moveOf, storeSeen } from "./intake-event.ts";
import { loadBatch, type IntakeBatch } from "./intake-batch.ts";
import { isStepDue } from "./reading.ts";
import type { BookableEvent } from "./staged-changes.ts";

/**
 * Applies the staged instances of one series: the same appointment under another id keeps its own,
 * and only the others are cancelled or booked.
 * @returns the number of changes; null where no series is left
 */
export async function settleSeries(
  tx: Tx,
  link: CalendarLink,
): Promise<{ changed: number } | null> {
  const own = { accountId: link.accountId, linkId: link.id };
  const first = await tx.manager.findOne(CalendarChange, { where: own, order: { id: "ASC" } });
  if (first === null) return null;
  const { seriesId } = first;
  const changes = await tx.manager.findBy(CalendarChange, { ...own, seriesId });
  const appeared = changes.flatMap(({ body }) => (body === null ? [] : [revive(body)]));
  const vanished = changes
    .filter(({ kind }) => kind === "vanished")
    .map(({ eventId }) => ({ kind: "removed" as const, eventId, seriesId }));
  const known = await loadBatch(tx, link, [...vanished, ...appeared]);
  if (!(await isStepDue(tx, link))) return { changed: 0 };
  const news: NewInstance[] = [];
  for (const event of appeared) {
    if (known.rows.has(event.facts.eventId)) continue;
    news.push(await appearedInstance(tx, event, seriesId));
  }
  const { pairs, ...rest } = pairInstances(
    vanished.flatMap(({ eventId }) => vanishedInstance(known, eventId, seriesId)),
    news,
  );
  let changed = rest.vanished.length + rest.appeared.length;
  for (const { from, to } of pairs) {
    if (await renameEvent(tx, link, from, to.event.facts)) changed += 1;
  }
  for (const { row } of rest.vanished) await endAppointment(tx, row, { isOver: false });
  for (const { event } of rest.appeared) {
    await bookEvent(tx, { link, isFirstReading: link.lastSyncedAt === null }, event);
  }
  await tx.manager.delete(CalendarChange, { ...own, seriesId });
  return { changed };
}

type OldInstance = SeriesInstance & { row: CalendarEventRow; appointment: Appointment };
type NewInstance = SeriesInstance & { event: BookableEvent };

function vanishedInstance(
  { rows, appointments }: Pick<IntakeBatch, "rows" | "appointments">,
  eventId: string,
  seriesId: string,
): OldInstance[] {
  const row = rows.get(eventId);
  const appointment = row === undefined ? undefined : appointments.get(row.appointmentId);
  if (row === undefined || appointment === undefined || row.goneAt !== null) return [];
  const startTime = row.seenStart ?? appointment.startTime;
  const endTime = row.seenEnd ?? appointment.endTime;
  const customer = String(appointment.contactId);
  return [{ eventId, seriesId, customer, startTime, endTime, row, appointment }];
}

async function appearedInstance(
  tx: Tx,
  event: BookableEvent,
  seriesId: string,
): Promise<NewInstance> {
  const { phone, email } = event.customer;
  const contactId =
    (phone === null ? null : await findContactIdByPhone(tx, phone)) ??
    (email === null ? null : await findContactIdByEmail(tx, email));
  const { eventId, startTime, endTime } = event.facts;
  const customer = String(contactId ?? `new ${phone ?? email}`);
  return { eventId, seriesId, customer, startTime, endTime, event };
}

/** @returns true where the appointment has moved */
async function renameEvent(
  tx: Tx,
  link: CalendarLink,
  { row, appointment }: OldInstance,
  facts: EventFacts,
): Promise<boolean> {
  const wanted = await listWantedTimes(tx, appointment);
  const isForeign = isAgreed(appointment.status) && isForeignTime(facts, row, wanted);
  const { eventId } = facts;
  await insertOrLose(() => tx.manager.update(CalendarEventRow, row.id, { eventId }));
  await tx.manager.update(Appointment, appointment.id, { googleEventId: eventId });
  await storeSeen(tx, { link }, row, facts, { isForeign });
  if (isForeign) return (await moveExternal(tx, appointment.id, moveOf(facts))) !== null;
  // A change of ours went to the id of before, which is gone.
  const isInLine = appointment.status !== "cancelled" && isSameTime(appointment, facts);
  if (!isInLine) await repeatCalendarSync(tx, appointment);
  return false;
}

/** An event as it was staged, with its moments. */
function revive(body: object): BookableEvent {
  const event = body as BookableEvent;
  const { startTime, endTime, updatedAt } = event.facts;
  return {
    ...event,
    facts: {
      ...event.facts,
      startTime: new Date(startTime),
      endTime: new Date(endTime),
      updatedAt: updatedAt === null ? null : new Date(updatedAt),
    },
  };
}
