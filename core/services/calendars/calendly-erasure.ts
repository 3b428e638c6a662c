import { In } from "typeorm";
import { CalendlyInviteeRow } from "../../../db/entities/calendly.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { ErasedPerson } from "../../model/erasure.ts";
import { placeholders } from "../sql.ts";

/** Columns of an invitee whose person was erased. The id stays, so that no news makes a contact. */
const forgotten = {
  state: "cancelled",
  appointmentId: null,
  booking: null,
  cancelUrl: null,
  rescheduleUrl: null,
  heldUntil: null,
  tellAt: null,
} as const;

/** Forgets the invitees behind appointments that are being erased. Nothing changes at Calendly. */
export async function forgetInvitees(tx: Tx, appointmentIds: readonly number[]): Promise<void> {
  const where = { accountId: tx.actor.accountId, appointmentId: In(appointmentIds) };
  await tx.manager.update(CalendlyInviteeRow, where, forgotten);
}

/** Forgets bookings of an erased person that wait for an agenda. */
export async function forgetWaitingBookings(
  tx: Tx,
  { emails, phoneEndings }: Pick<ErasedPerson, "emails" | "phoneEndings">,
): Promise<void> {
  const waiting = await tx.manager.query<{ id: number }[]>(
    `SELECT id FROM calendly_invitees FORCE INDEX (calendly_invitees_state)
      WHERE state = 'unmapped' AND account_id = ?
        AND (booking->>'$.email' IN (${placeholders(["", ...emails])})
          OR RIGHT(booking->>'$.phone', 8) IN (${placeholders(["", ...phoneEndings])}))`,
    [tx.actor.accountId, "", ...emails, "", ...phoneEndings],
  );
  const ids = waiting.map(({ id }) => Number(id));
  if (ids.length > 0) await tx.manager.update(CalendlyInviteeRow, { id: In(ids) }, forgotten);
}
