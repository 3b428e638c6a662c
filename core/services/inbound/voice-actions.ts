import { MoreThan } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError, notFound, WriteConflict } from "../../errors.ts";
import type { InboundOutcome } from "../../model/inbound.ts";
import type { NamedAppointment, VoiceData, VoiceResult } from "../../model/voice.ts";
import { getAppointmentRow } from "../appointments/appointment-records.ts";
import { commitReschedule, requestReschedule } from "../appointments/appointment-reschedules.ts";
import { cancelAppointment } from "../appointments/appointment-status.ts";
import { bookAppointment } from "../appointments/appointments.ts";
import { findContactIdByEmail, findContactIdByPhone } from "../contacts/contact-lookup.ts";
import { upsertContact } from "../contacts/contact-upserts.ts";

/** Source in events. Rule C43. */
const source = "voz";
/** Maximum number of appointments in `appointment_ambiguous`. */
const maxNamed = 10;

/** Function of each action. To add one: its schema in `core/model/voice.ts` and a line here. */
const actions: {
  [Action in keyof VoiceData]: (tx: Tx, data: VoiceData[Action]) => Promise<InboundOutcome>;
} = {
  "appointment.book": async (tx, { resource_id, service_id, start_time, ...rest }) => {
    const { duration_minutes: durationMinutes, ...contact } = rest;
    const { record } = await upsertContact(tx, contact);
    const what = { resourceId: resource_id, serviceId: service_id, durationMinutes };
    const when = { startTime: start_time, customer: { contactId: record.row.id }, source };
    return outcomeOf("booked", await bookAppointment(tx, { ...what, ...when }));
  },
  "appointment.reschedule": async (tx, { start_time, resource_id, ...named }) => {
    const row = await getNamedAppointment(tx, named);
    const to = { startTime: start_time, resourceId: resource_id };
    // The caller waits on the line, so the move is carried out at once.
    const how = { mode: "same", source } as const;
    const move = await requestReschedule(tx, { appointmentId: row.id, ...to, ...how });
    if (move === null) return outcomeOf("unchanged", row);
    const { state } = await commitReschedule(tx, move.id);
    if (state !== "committed") throw new WriteConflict();
    return outcomeOf("rescheduled", row);
  },
  "appointment.cancel": async (tx, { reason, ...named }) => {
    const before = await getNamedAppointment(tx, named);
    const row = await cancelAppointment(tx, { appointmentId: before.id, source, reason });
    return outcomeOf(before.status === "cancelled" ? "unchanged" : "cancelled", row);
  },
};

/**
 * Runs an action of a voice integration in its account (rule C64).
 * @throws AppError `contact_not_found`, `contact_conflict`, `appointment_not_found`,
 * `appointment_ambiguous`, and the refusals of bookings, moves and cancellations.
 */
export async function runVoiceAction<Action extends keyof VoiceData>(
  tx: Tx,
  { event, data }: { event: Action; data: VoiceData[Action] },
): Promise<InboundOutcome> {
  return await actions[event](tx, data);
}

function outcomeOf(result: VoiceResult, { id, contactId }: Appointment): InboundOutcome {
  return { result, contactId, appointmentId: id };
}

/**
 * @throws AppError `appointment_not_found`, also for another caller's appointment;
 * `appointment_ambiguous`.
 */
async function getNamedAppointment(tx: Tx, named: NamedAppointment): Promise<Appointment> {
  const { appointment_id: id } = named;
  const contactId = await findCaller(tx, named);
  if (id !== undefined) {
    const row = await getAppointmentRow(tx, id);
    if (contactId === null || row.contactId === contactId) return row;
    throw notFound("appointment");
  }
  const ahead = await tx.manager.find(Appointment, {
    where: {
      accountId: tx.actor.accountId,
      contactId: contactId ?? 0,
      status: "confirmed",
      startTime: MoreThan(tx.now),
    },
    order: { startTime: "ASC", id: "ASC" },
    take: maxNamed,
  });
  const [only, ...others] = ahead;
  if (only === undefined) {
    throw new AppError("appointment_not_found", {
      message: "The caller has no appointment ahead.",
    });
  }
  if (others.length > 0) throw ambiguous(ahead);
  return only;
}

/** Null if the call names no phone and no email. @throws AppError `contact_not_found` */
async function findCaller(tx: Tx, { phone, email }: NamedAppointment): Promise<number | null> {
  if (phone === undefined && email === undefined) return null;
  const contactId =
    (phone === undefined ? null : await findContactIdByPhone(tx, phone)) ??
    (email === undefined ? null : await findContactIdByEmail(tx, email));
  if (contactId !== null) return contactId;
  throw new AppError("contact_not_found", {
    message: "There is no contact with this phone or email.",
  });
}

function ambiguous(rows: Appointment[]): AppError {
  return new AppError("appointment_ambiguous", {
    details: {
      appointments: rows.map(({ id, startTime, resourceId }) => {
        return { appointment_id: id, start_time: startTime.toISOString(), resource_id: resourceId };
      }),
    },
  });
}
