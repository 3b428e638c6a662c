import { createHash } from "node:crypto";
import { IsNull } from "typeorm";
import { InboundEvent } from "../../../db/entities/inbound-endpoint.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { InboundOutcome } from "../../model/inbound.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** Event ids are remembered for 24 hours (our choice). */
const keptMs = 86_400_000;
/** How long a call may take before another one with its event id may run. */
const leaseMs = 60_000;

/** A call's hold on its event id. */
export interface InboundLease {
  rowId: number;
  leaseUntil: Date;
}

/** What to do with a call: run it and complete the event id, or repeat what came of the first. */
export type InboundClaim =
  | ({ kind: "run" } & InboundLease)
  | { kind: "replay"; outcome: InboundOutcome };

/**
 * Claims the event id of a call. Must be committed before the action itself runs, or a second caller
 * would wait for the first instead of reading 409. Two endpoints know nothing of each other's ids.
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

/** Null: the first call died without an answer, so this one may run. */
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
 * Stores what came of the action. In its own transaction, so that effect and answer are kept or lost
 * together.
 * @throws AppError `idempotency_in_progress` where the lease ran out and a later call took over.
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

/** Frees the event id of a call that was refused or failed. What did commit stays. */
export async function releaseInboundEvent(
  tx: Tx,
  { rowId, leaseUntil }: InboundLease,
): Promise<void> {
  await tx.manager.delete(InboundEvent, { id: rowId, leaseUntil, result: IsNull() });
}
