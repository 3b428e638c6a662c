import type { Appointment } from "../../../db/entities/appointment.ts";
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
 * sequence above those before it, so that calendars move the entry.
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
  return rows.map(({ appointment, summary, location }) => {
    const { id, version, status, startTime: start, endTime: end, updatedAt } = appointment;
    const { firstId, sequence } = chains.get(id) ?? { firstId: id, sequence: version };
    const isCancelled = status === "cancelled";
    const uid = appointmentUid(firstId, publicUrl);
    return { uid, sequence, isCancelled, start, end, updatedAt, summary, location };
  });
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
