import { In, IsNull, Not } from "typeorm";
import type { Appointment } from "../../../db/entities/appointment.ts";
import { CalendarEventRow } from "../../../db/entities/calendar-link.ts";
import type { Tx } from "../../../db/transaction.ts";
import { appointmentUid, type CalendarEntry } from "../../calendars/calendar-file.ts";

/** An appointment with the words that a calendar file shows. */
export interface WordedAppointment {
  appointment: Appointment;
  summary: string;
  location: string | null;
}

/**
 * Entries of appointments. A replacement has the UID of the first appointment of its chain, and a
 * sequence above those before it, so that calendars move the entry. An appointment that began as an
 * event of Google keeps the UID of that event, which a customer may have already.
 */
export async function describeEntries(
  tx: Tx,
  publicUrl: string,
  rows: readonly WordedAppointment[],
): Promise<CalendarEntry[]> {
  const replacing = rows
    .map(({ appointment }) => appointment)
    .filter(({ replacesAppointmentId }) => replacesAppointmentId !== null);
  const chains = await findChains(tx, replacing);
  const ofGoogle = await findGoogleIds(tx, rows);
  return rows.map(({ appointment, summary, location }) => {
    const { id, version, status, startTime: start, endTime: end, updatedAt } = appointment;
    const { firstId, sequence } = chains.get(id) ?? { firstId: id, sequence: version };
    const isCancelled = status === "cancelled";
    const ownId = { uid: appointmentUid(firstId, publicUrl), recurrenceId: null };
    const { uid, recurrenceId } = ofGoogle.get(id) ?? ownId;
    return { uid, recurrenceId, sequence, isCancelled, start, end, updatedAt, summary, location };
  });
}

type CalendarIds = Pick<CalendarEntry, "uid" | "recurrenceId">;

/** Ids of the events that appointments began as, by the appointment. */
async function findGoogleIds(
  tx: Tx,
  rows: readonly WordedAppointment[],
): Promise<Map<number, CalendarIds>> {
  const appointmentId = In(rows.map(({ appointment }) => appointment.id));
  // Google gives our own events a UID too. Customers have ours, and would see two entries.
  const theirs = { origin: "google" as const, icalUid: Not(IsNull()) };
  const found = await tx.manager.find(CalendarEventRow, {
    where: { accountId: tx.actor.accountId, appointmentId, ...theirs },
    order: { id: "ASC" },
  });
  return new Map(
    found.map((row) => [
      row.appointmentId,
      { uid: row.icalUid ?? "", recurrenceId: originalStart(row.eventId) },
    ]),
  );
}

/** Start that the rule of a series gave to an instance, as its id `base_20261201T160000Z` has it. */
function originalStart(eventId: string): Date | null {
  const [, ...parts] = /_(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(eventId) ?? [];
  if (parts.length === 0) return null;
  const [year = 0, month = 1, day, hour, minute, second] = parts.map(Number);
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
}

interface Chain {
  firstId: number;
  sequence: number;
}

/** First appointment of each chain of replacements, and the sum of all versions. */
async function findChains(tx: Tx, rows: readonly Appointment[]): Promise<Map<number, Chain>> {
  if (rows.length === 0) return new Map();
  const { accountId } = tx.actor;
  const found = await tx.manager.query<{ head: number; first_id: number; sequence: string }[]>(
    `WITH RECURSIVE chain (head, id, version, previous) AS (
       SELECT id, id, version, replaces_appointment_id FROM appointments
        WHERE account_id = ? AND id IN (?)
       UNION ALL
       SELECT c.head, a.id, a.version, a.replaces_appointment_id
         FROM chain c JOIN appointments a ON a.id = c.previous AND a.account_id = ? AND a.id < c.id)
     SELECT head, MIN(id) AS first_id, SUM(version) AS sequence FROM chain GROUP BY head`,
    [accountId, rows.map(({ id }) => id), accountId],
  );
  return new Map(
    found.map(({ head, first_id, sequence }) => [
      Number(head),
      { firstId: Number(first_id), sequence: Number(sequence) },
    ]),
  );
}
