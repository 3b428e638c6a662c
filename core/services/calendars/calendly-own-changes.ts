import { In, IsNull, Not } from "typeorm";
import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendlyInviteeRow } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { AppointmentSource } from "../../model/appointment.ts";
import { request } from "../outbox/outbox.ts";
import { findOwned } from "../sql.ts";
import { freeOtherHosts } from "./calendly-busy-blocks.ts";
import { calendlyTellCommand } from "./calendly-commands.ts";

/** Source of changes that Calendly made. */
export const calendlySource = "calendly";

/** The invitee of Calendly whose booking an appointment is now, or null. */
export async function findInviteeOf(
  tx: Tx,
  appointmentId: number,
): Promise<CalendlyInviteeRow | null> {
  const states = In(["active", "held"] as const);
  return await findOwned(tx, CalendlyInviteeRow, { appointmentId, state: states });
}

/** An invitee who waits for the other half of a move, or null. */
export async function findHeldInvitee(tx: Tx, id: number): Promise<CalendlyInviteeRow | null> {
  return await findOwned(tx, CalendlyInviteeRow, { id, state: "held" });
}

/** Held invitees of a connection whose wait ended without an answer of Calendly. */
export async function listLeftInvitees(
  tx: Tx,
  connectionId: number,
): Promise<CalendlyInviteeRow[]> {
  const { accountId } = tx.actor;
  return await tx.manager.findBy(CalendlyInviteeRow, {
    accountId,
    connectionId,
    state: "held",
    heldUntil: IsNull(),
  });
}

/** Number of invitees of an event who take part. */
export async function countInvitees(
  tx: Tx,
  { connectionId, eventId }: Pick<CalendlyInviteeRow, "connectionId" | "eventId">,
): Promise<number> {
  const { accountId } = tx.actor;
  const state = In(["active", "unmapped"] as const);
  return await tx.manager.countBy(CalendlyInviteeRow, { accountId, connectionId, eventId, state });
}

/**
 * Requires that Calendly does not keep this appointment, before it is moved here.
 * @throws AppError `calendly_moves_itself`, whose details hold the page for the move
 */
export async function requireMovableHere(tx: Tx, appointmentId: number): Promise<void> {
  const invitee = await findInviteeOf(tx, appointmentId);
  if (invitee === null) return;
  const details = { reschedule_url: invitee.rescheduleUrl };
  const message =
    "Calendly keeps this appointment, and offers programs no move. Move it at `details.reschedule_url`.";
  throw new AppError("calendly_moves_itself", { message, details });
}

/**
 * Requires that a cancellation of ours ends no booking of others: Calendly cancels whole events.
 * @throws AppError `calendly_group_event`, whose details hold the page for one invitee
 */
export async function requireCancellableHere(
  tx: Tx,
  appointmentId: number,
  source: AppointmentSource,
): Promise<void> {
  if (source === calendlySource) return;
  const invitee = await findInviteeOf(tx, appointmentId);
  if (invitee === null || (await countInvitees(tx, invitee)) < 2) return;
  const message =
    "Calendly would cancel this event for all of its invitees. Cancel this one at `details.cancel_url`.";
  const details = { cancel_url: invitee.cancelUrl };
  throw new AppError("calendly_group_event", { message, details });
}

/** Requests that Calendly is told of a status that was changed here. */
export async function requestCalendlyTell(
  tx: Tx,
  appointment: Appointment,
  source: AppointmentSource,
): Promise<void> {
  if (source === calendlySource) return;
  const invitee = await findInviteeOf(tx, appointment.id);
  if (invitee === null) return;
  await tx.manager.update(CalendlyInviteeRow, invitee.id, { tellAt: tx.now });
  await request(tx, calendlyTellCommand(invitee, appointment));
}

/** A change made here, of which Calendly has not been told. */
export interface UntoldChange {
  invitee: CalendlyInviteeRow;
  status: Appointment["status"];
  cancelReason: string | null;
}

/** The invitee with the status that its appointment has here; null if nothing is to be told. */
export async function findUntoldChange(tx: Tx, inviteeId: number): Promise<UntoldChange | null> {
  const where = { id: inviteeId, tellAt: Not(IsNull()) };
  const invitee = await findOwned(tx, CalendlyInviteeRow, where);
  if (invitee === null) return null;
  const id = invitee.state === "active" ? invitee.appointmentId : null;
  const appointment = id === null ? null : await findOwned(tx, Appointment, { id });
  if (appointment === null) {
    await storeTold(tx, invitee, {});
    return null;
  }
  return { invitee, status: appointment.status, cancelReason: appointment.cancelReason };
}

/**
 * Stores what Calendly was told.
 * @param told invitee as it was read before; its `tellAt` names the change
 * @returns false where a later change came meanwhile. Calendly may have it undone, so tell again.
 */
export async function storeTold(
  tx: Tx,
  invitee: Pick<CalendlyInviteeRow, "id" | "connectionId" | "eventId" | "tellAt">,
  told: Partial<Pick<CalendlyInviteeRow, "state" | "noShowId">>,
): Promise<boolean> {
  const { accountId } = tx.actor;
  const { id, tellAt } = invitee;
  const columns = { ...told, updatedAt: tx.now };
  const { affected } = await tx.manager.update(
    CalendlyInviteeRow,
    { id, accountId, tellAt: tellAt ?? IsNull() },
    { ...columns, tellAt: null },
  );
  if (affected === 0) {
    await tx.manager.update(CalendlyInviteeRow, { id, accountId }, { ...columns, tellAt: tx.now });
  }
  if (told.state === "cancelled") await freeOtherHosts(tx, invitee);
  return affected !== 0;
}
