import { In, MoreThan } from "typeorm";
import { AppointmentReschedule, type Appointment } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import { notFound } from "../../errors.ts";
import { minutesBetween } from "../../model/appointment.ts";
import { loadNames, presentFacts, presentTime } from "./appointment-records.ts";

/** Views of appointments in the Dashboard's API, each with its open move. */
export async function presentAppointments(tx: Tx, rows: Appointment[]) {
  const names = await loadNames(tx, rows);
  const moves = await listOpenMoves(tx, rows);
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    ...presentFacts(row, names),
    service_hue: names.services.get(row.serviceId ?? 0)?.hue ?? "slate",
    buffer_before_minutes: minutesBetween(row.blockedFrom, row.startTime),
    buffer_after_minutes: minutesBetween(row.endTime, row.blockedUntil),
    source: row.source,
    replaces_appointment_id: row.replacesAppointmentId,
    cancel_reason: row.cancelReason,
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
    created_by_user_id: row.createdByUserId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    reschedule: presentMove(moves.find((move) => move.appointmentId === row.id)),
  }));
}

/** View of one appointment. */
export async function presentAppointment(tx: Tx, row: Appointment) {
  const [view] = await presentAppointments(tx, [row]);
  if (view === undefined) throw notFound("appointment");
  return view;
}

async function listOpenMoves(tx: Tx, rows: Appointment[]): Promise<AppointmentReschedule[]> {
  if (rows.length === 0) return [];
  return await tx.manager.findBy(AppointmentReschedule, {
    accountId: tx.actor.accountId,
    appointmentId: In(rows.map(({ id }) => id)),
    state: "requested",
    expiresAt: MoreThan(tx.now),
  });
}

function presentMove(move: AppointmentReschedule | undefined) {
  if (move === undefined) return null;
  const { id, resourceId, source } = move;
  return { id, ...presentTime(move), resource_id: resourceId, source };
}
