import { Appointment } from "../../../db/entities/appointment.ts";
import { CalendlyInviteeRow, type CalendlyInviteeState } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { InviteeRef } from "../../calendars/calendly-ids.ts";
import type { CalendlyInvitee } from "../../calendars/calendly-payload.ts";
import { pairWaitMs } from "../../model/workflow/calendly.ts";
import { lockCalendlyAccount } from "../calendars/calendly-accounts.ts";
import { blockOtherHosts, freeOtherHosts } from "../calendars/calendly-busy-blocks.ts";
import { calendlyPairCommand } from "../calendars/calendly-commands.ts";
import { cancelExternal } from "../appointments/external-appointments.ts";
import { request } from "../outbox/outbox.ts";
import { findOwned, insertRow } from "../sql.ts";
import { findAgendasOfEvent, type EventAgendas } from "./calendly-agendas.ts";
import {
  bookVisit,
  endCopiesOfOtherHosts,
  followNoShow,
  moveVisit,
  placeNewcomer,
} from "./calendly-visits.ts";

/**
 * Result of an invitee. `missing`: nothing was changed, because the invitee took the place of this
 * one, which nobody has told us of. Apply that one first.
 */
export type AppliedInvitee = { missing: InviteeRef } | { missing: null; changed: boolean };

/** Options of an application. `orphan`: Calendly does not know the invitee before this one. */
interface ApplyOptions {
  orphan?: boolean;
}

/**
 * Brings our appointment in line with an invitee as Calendly tells it. Repetitions, and news that
 * are older than those applied, change nothing. The halves of a move may come in either order: they
 * keep one appointment. Invitees of a connection are applied one after the other.
 */
export async function applyInvitee(
  tx: Tx,
  connectionId: number,
  invitee: CalendlyInvitee,
  { orphan = false }: ApplyOptions = {},
): Promise<AppliedInvitee> {
  if ((await lockCalendlyAccount(tx, connectionId)) === null) return unchanged;
  const row = await findInvitee(tx, connectionId, invitee.inviteeId);
  if (row !== null) {
    const changed = invitee.isActive
      ? await updateInvitee(tx, row, invitee)
      : await applyCancellation(tx, row, invitee);
    return { missing: null, changed };
  }
  const { old } = invitee;
  const before = old === null ? null : await findInvitee(tx, connectionId, old.inviteeId);
  if (old !== null && before === null && !orphan) return { missing: old };
  await addInvitee(tx, connectionId, invitee, before);
  return { missing: null, changed: true };
}

const unchanged: AppliedInvitee = { missing: null, changed: false };

/** The row of an invitee, or null. The lock of its account keeps other changes away. */
export async function findInvitee(
  tx: Tx,
  connectionId: number,
  externalId: string,
): Promise<CalendlyInviteeRow | null> {
  return await findOwned(tx, CalendlyInviteeRow, { connectionId, externalId });
}

/**
 * Cancels the appointment of an invitee whose other half has not come in time.
 * @returns false where it has come
 */
export async function cancelHeld(
  tx: Tx,
  connectionId: number,
  inviteeId: number,
): Promise<boolean> {
  await lockCalendlyAccount(tx, connectionId);
  const row = await findOwned(tx, CalendlyInviteeRow, { id: inviteeId });
  if (row?.state !== "held") return false;
  await cancelInvitee(tx, row, null);
  return true;
}

/** Ends the wait of a held invitee. Its appointment stays, and the next read settles the move. */
export async function endHold(tx: Tx, inviteeId: number): Promise<void> {
  const where = { id: inviteeId, accountId: tx.actor.accountId, state: "held" as const };
  await tx.manager.update(CalendlyInviteeRow, where, { heldUntil: null, updatedAt: tx.now });
}

/** Stores an invitee of whom nothing is known yet, with its appointment. */
async function addInvitee(
  tx: Tx,
  connectionId: number,
  invitee: CalendlyInvitee,
  before: CalendlyInviteeRow | null,
): Promise<void> {
  const inherited = await takeOverAppointment(tx, before, invitee);
  const row = await insertInvitee(tx, connectionId, invitee, inherited);
  if (!invitee.isActive) {
    const state = inherited === null ? cancelledState(invitee) : "active";
    await storeInvitee(tx, row, { state });
    if (state === "active") await applyCancellation(tx, row, invitee);
    return;
  }
  const agendas = await findAgendasOfEvent(tx, connectionId, invitee.event);
  const appointmentId =
    inherited === null
      ? await placeNewcomer(tx, { connectionId, invitee, agendas })
      : await moveVisit(tx, inherited, { connectionId, invitee, agendas });
  await storePlacement(tx, row, invitee, { agendas, appointmentId });
}

/** The appointment of the invitee before, which passes on once. */
async function takeOverAppointment(
  tx: Tx,
  before: CalendlyInviteeRow | null,
  { inviteeId, eventId }: CalendlyInvitee,
): Promise<number | null> {
  if (before === null || before.state === "moved") return null;
  const { appointmentId } = before;
  const next = { nextId: inviteeId, nextEventId: eventId };
  await storeInvitee(tx, before, { state: "moved", heldUntil: null, booking: null, ...next });
  await freeOtherHosts(tx, before);
  if (appointmentId === null) return null;
  const { accountId } = tx.actor;
  // The contact may have been erased, and its appointments with it.
  const exists = await tx.manager.existsBy(Appointment, { id: appointmentId, accountId });
  return exists ? appointmentId : null;
}

/** Applies a change of an invitee who takes part. */
async function updateInvitee(
  tx: Tx,
  row: CalendlyInviteeRow,
  invitee: CalendlyInvitee,
): Promise<boolean> {
  const isWaiting = row.state === "unmapped";
  if ((row.state !== "active" && !isWaiting) || changeTime(invitee) < row.changedAt) return false;
  const { connectionId, appointmentId } = row;
  const agendas = await findAgendasOfEvent(tx, connectionId, invitee.event);
  if (isWaiting || appointmentId === null) {
    if (agendas === null) return false;
    const booked = await bookVisit(tx, { connectionId, invitee, agendas });
    await storePlacement(tx, row, invitee, { agendas, appointmentId: booked });
    return booked !== null;
  }
  const isReassigned = agendas !== null && agendas.hostId !== row.hostId;
  const isMissed = invitee.noShowId !== row.noShowId;
  const currentId = isReassigned
    ? await moveVisit(tx, appointmentId, { connectionId, invitee, agendas })
    : appointmentId;
  await storePlacement(tx, row, invitee, { agendas, appointmentId: currentId });
  return isReassigned || isMissed;
}

/** Stores the appointment of an invitee who takes part, and follows the mark of a no-show. */
async function storePlacement(
  tx: Tx,
  row: CalendlyInviteeRow,
  invitee: CalendlyInvitee,
  { agendas, appointmentId }: { agendas: EventAgendas | null; appointmentId: number | null },
): Promise<void> {
  const isPlaced = appointmentId !== null;
  if (isPlaced) await followNoShow(tx, appointmentId, row.noShowId, invitee.noShowId);
  await storeInvitee(tx, row, {
    state: isPlaced ? "active" : "unmapped",
    appointmentId,
    booking: isPlaced ? null : invitee,
    hostId: agendas?.hostId ?? row.hostId,
    noShowId: invitee.noShowId,
    ...linksOf(invitee),
  });
  if (!isPlaced) return;
  const { connectionId } = row;
  await blockOtherHosts(tx, { connectionId, ...invitee.event }, agendas?.otherResourceIds ?? []);
  if (agendas !== null) await endCopiesOfOtherHosts(tx, invitee, agendas);
}

/** Cancels an invitee, or holds the first half of a move. */
async function applyCancellation(
  tx: Tx,
  row: CalendlyInviteeRow,
  invitee: CalendlyInvitee,
): Promise<boolean> {
  if (row.state === "moved" || row.state === "cancelled") {
    // An erasure and a cancellation of ours end the row before Calendly ends the event.
    await freeOtherHosts(tx, row);
    return false;
  }
  if (!invitee.isRescheduled) {
    await cancelInvitee(tx, row, invitee.cancelReason);
    return true;
  }
  if (row.state === "held") return false;
  if (row.appointmentId === null) {
    await storeInvitee(tx, row, { state: "moved", booking: null });
    return true;
  }
  const next = {
    nextId: invitee.next?.inviteeId ?? null,
    nextEventId: invitee.next?.eventId ?? null,
  };
  const heldUntil = new Date(tx.now.getTime() + pairWaitMs);
  const changedAt = changeTime(invitee);
  await storeInvitee(tx, row, { state: "held", heldUntil, ...next, changedAt });
  await request(tx, calendlyPairCommand(row));
  return true;
}

async function cancelInvitee(
  tx: Tx,
  row: CalendlyInviteeRow,
  reason: string | null,
): Promise<void> {
  const { appointmentId } = row;
  await storeInvitee(tx, row, { state: "cancelled", heldUntil: null, booking: null });
  await freeOtherHosts(tx, row);
  const { accountId } = tx.actor;
  const exists =
    appointmentId !== null &&
    (await tx.manager.existsBy(Appointment, { id: appointmentId, accountId }));
  if (exists) {
    await cancelExternal(tx, appointmentId, { source: "calendly", syncCalendars: false, reason });
  }
}

/** State of an invitee of whom we hear when the booking is over. */
function cancelledState({ isRescheduled }: CalendlyInvitee): CalendlyInviteeState {
  return isRescheduled ? "moved" : "cancelled";
}

function changeTime({ updatedAt, event }: CalendlyInvitee): Date {
  return updatedAt > event.updatedAt ? updatedAt : event.updatedAt;
}

function linksOf(invitee: CalendlyInvitee): Partial<CalendlyInviteeRow> {
  const { cancelUrl, rescheduleUrl, event } = invitee;
  return { cancelUrl, rescheduleUrl, isGroup: event.isGroup, changedAt: changeTime(invitee) };
}

async function insertInvitee(
  tx: Tx,
  connectionId: number,
  invitee: CalendlyInvitee,
  appointmentId: number | null,
): Promise<CalendlyInviteeRow> {
  const row = tx.manager.create(CalendlyInviteeRow, {
    accountId: tx.actor.accountId,
    connectionId,
    externalId: invitee.inviteeId,
    eventId: invitee.eventId,
    state: "active",
    appointmentId,
    nextId: null,
    nextEventId: null,
    heldUntil: null,
    noShowId: null,
    booking: null,
    startTime: invitee.event.startTime,
    hostId: null,
    tellAt: null,
    createdAt: tx.now,
    updatedAt: tx.now,
    ...linksOf(invitee),
  });
  row.id = await insertRow(tx, CalendlyInviteeRow, row);
  return row;
}

async function storeInvitee(
  tx: Tx,
  row: CalendlyInviteeRow,
  changes: Partial<CalendlyInviteeRow>,
): Promise<void> {
  const columns = { ...changes, updatedAt: tx.now };
  Object.assign(row, columns);
  await tx.manager.update(CalendlyInviteeRow, row.id, columns);
}
