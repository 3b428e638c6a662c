import { createHash } from "node:crypto";
import { IsNull } from "typeorm";
import { InboundEvent } from "../../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { InboundOutcome } from "../../model/inbound.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** Event ids are kept for 24 hours (rule C65). */
const keptMs = 86_400_000;
/** After this time another call with the event id may run. */
const leaseMs = 60_000;

/** A call's lease of its event id. */
export interface InboundLease {
  rowId: number;
  leaseUntil: Date;
}

/** Next step of a call: run and complete the event id, or repeat the first call's outcome. */
export type InboundClaim =
  | ({ kind: "run" } & InboundLease)
  | { kind: "replay"; outcome: InboundOutcome };

/**
 * Claims the event id of a call. Commit the claim before the action runs, or a second caller would
 * wait for the first instead of reading 409. Each endpoint has event ids of its own.
 * @throws AppError `idempotency_key_reused` (other bytes), `idempotency_in_progress`.
 */
export async function claimInboundEvent(
  tx: Tx,
  { endpointId, eventId, body }: { endpointId: number; eventId: string; body: Uint8Array },
): Promise<InboundClaim> {
  const { accountId } = tx.actor;
  const bodyHash = createHash("sha256").update(body).digest();
  const known = await tx.manager.findOne(InboundEvent, {
    where: { endpointId, eventId },
    lock: { mode: "pessimistic_write" },
  });
  const leaseUntil = new Date(tx.now.getTime() + leaseMs);
  const nothing = { result: null, contactId: null, appointmentId: null };
  const fresh = { bodyHash, ...nothing, leaseUntil, createdAt: tx.now };
  if (known === null) {
    const row = { accountId, endpointId, eventId, ...fresh };
    const rowId = await insertOrLose(() => insertRow(tx, InboundEvent, row));
    return { kind: "run", rowId, leaseUntil };
  }
  if (known.createdAt.getTime() > tx.now.getTime() - keptMs) {
    const outcome = judgeRepeat(known, bodyHash, tx.now);
    if (outcome !== null) return { kind: "replay", outcome };
  }
  await tx.manager.update(InboundEvent, known.id, fresh);
  return { kind: "run", rowId: known.id, leaseUntil };
}

/** Null if the first call ended without an answer: then this call may run. */
function judgeRepeat(known: InboundEvent, bodyHash: Buffer, now: Date): InboundOutcome | null {
  if (!known.bodyHash.equals(bodyHash)) {
    throw new AppError(
      "idempotency_key_reused",
      "This event id was used with another body. Use a new id for a new event.",
    );
  }
  const { result, contactId, appointmentId } = known;
  if (result !== null && contactId !== null) return { result, contactId, appointmentId };
  if (known.leaseUntil > now) throw inProgress();
  return null;
}

function inProgress(): AppError {
  return new AppError(
    "idempotency_in_progress",
    "The first request with this event id is still running. Try again in a moment.",
  );
}

/**
 * Stores the outcome of the action, in the action's transaction: effect and answer commit together
 * or not at all.
 * @throws AppError `idempotency_in_progress` if the lease expired and a later call took over.
 */
export async function completeInboundEvent(
  tx: Tx,
  { rowId, leaseUntil }: InboundLease,
  outcome: InboundOutcome,
): Promise<void> {
  const held = { id: rowId, leaseUntil };
  const { affected } = await tx.manager.update(InboundEvent, held, outcome);
  if (affected === 0) throw inProgress();
}

/** Frees the event id of a call that was refused or failed. A committed outcome stays. */
export async function releaseInboundEvent(
  tx: Tx,
  { rowId, leaseUntil }: InboundLease,
): Promise<void> {
  await tx.manager.delete(InboundEvent, { id: rowId, leaseUntil, result: IsNull() });
}
