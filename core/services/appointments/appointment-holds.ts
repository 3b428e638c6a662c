import { MoreThan } from "typeorm";
import { AppointmentReschedule } from "../../../db/entities/appointment.ts";
import type { Tx } from "../../../db/transaction.ts";
import { findOwned, findPage, getOwned, lockOwnedIfThere } from "../sql.ts";
import type { Page, PageBounds } from "../../model/page.ts";

/** Outcome of a move. A value and no error, so that the caller can undo its external effects. */
export type RescheduleOutcome =
  | { state: "requested" }
  /** Id of the appointment at its new time: the same appointment, or its replacement. */
  | { state: "committed"; appointmentId: number }
  | { state: "released"; failureCode: string };

/** Outcome of a move according to its row. */
export function outcomeOf(row: AppointmentReschedule): RescheduleOutcome {
  switch (row.state) {
    case "requested":
      return { state: "requested" };
    case "committed":
      return { state: "committed", appointmentId: row.newAppointmentId ?? row.appointmentId };
    case "released":
      return { state: "released", failureCode: row.failureCode ?? "released" };
  }
}

/** A move, or null if its appointment was erased with its contact. */
export async function findReschedule(tx: Tx, id: number): Promise<AppointmentReschedule | null> {
  return await findOwned(tx, AppointmentReschedule, { id });
}

/** Like `findReschedule`, and locks the row. */
export async function lockReschedule(tx: Tx, id: number): Promise<AppointmentReschedule | null> {
  return await lockOwnedIfThere(tx, AppointmentReschedule, { id });
}

/** @throws AppError `reschedule_not_found` */
export async function getReschedule(tx: Tx, id: number): Promise<AppointmentReschedule> {
  return await getOwned(tx, AppointmentReschedule, "reschedule", { id });
}

/** The moves of an appointment, newest first, and their total. */
export async function listReschedules(
  tx: Tx,
  appointmentId: number,
  page: PageBounds,
): Promise<Page<AppointmentReschedule>> {
  return await findPage(tx, AppointmentReschedule, page, {
    where: { accountId: tx.actor.accountId, appointmentId },
    order: { id: "DESC" },
  });
}

/** The move of a locked appointment that holds a time now, or null. */
export async function findOpenReschedule(
  tx: Tx,
  appointmentId: number,
): Promise<AppointmentReschedule | null> {
  const { accountId } = tx.actor;
  return await tx.manager.findOneBy(AppointmentReschedule, {
    accountId,
    appointmentId,
    state: "requested",
    expiresAt: MoreThan(tx.now),
  });
}

/** Releases every open move of a locked appointment, and so the times that the moves hold. */
export async function releaseOpenReschedules(
  tx: Tx,
  appointmentId: number,
  failureCode: string,
): Promise<void> {
  const open = { accountId: tx.actor.accountId, appointmentId, state: "requested" as const };
  await tx.manager.update(
    AppointmentReschedule,
    open,
    finished(tx, { state: "released", failureCode }),
  );
}

/** Ends a locked move. */
export async function finishReschedule(
  tx: Tx,
  row: AppointmentReschedule,
  end: Pick<AppointmentReschedule, "state"> & Partial<AppointmentReschedule>,
): Promise<RescheduleOutcome> {
  const changes = finished(tx, end);
  await tx.manager.update(AppointmentReschedule, row.id, changes);
  return outcomeOf(Object.assign(row, changes));
}

function finished(tx: Tx, end: Partial<AppointmentReschedule>) {
  return { ...end, finishedAt: tx.now, updatedAt: tx.now };
}
