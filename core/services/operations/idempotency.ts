import { createHash } from "node:crypto";
import { IsNull } from "typeorm";
import { IdempotencyKey } from "../../../db/entities/idempotency-key.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { contactIdIn } from "../../model/contact.ts";
import { insertOrLose, insertRow } from "../sql.ts";

/** Keys are kept for 24 hours (rule C15). */
const keptMs = 86_400_000;
/** After this time another call with the key may run. */
const leaseMs = 60_000;

/** One call that carries an `Idempotency-Key`. */
export interface IdempotentCall {
  accountId: number;
  apiKeyId: number;
  method: string;
  path: string;
  value: string;
  /** The parsed body: its fields are in the order of the schema, not of the request. */
  body: unknown;
}

/** A call's lease of its key. */
export interface IdempotencyLease {
  keyId: number;
  leaseUntil: Date;
}

/** Next step of a call: run and complete the key, or repeat the stored answer. */
export type IdempotencyClaim =
  | ({ kind: "run" } & IdempotencyLease)
  | { kind: "replay"; status: number; answer: Buffer };

/**
 * Claims the key of a call. Commit the claim before the call runs, or a second caller would wait
 * for the first instead of reading 409.
 * @throws AppError `idempotency_key_reused` (another body), `idempotency_in_progress`.
 */
export async function claimIdempotencyKey(tx: Tx, call: IdempotentCall): Promise<IdempotencyClaim> {
  const { accountId, apiKeyId, method, path, value } = call;
  const bodyHash = createHash("sha256")
    .update(JSON.stringify(call.body ?? null))
    .digest();
  const known = await tx.manager.findOne(IdempotencyKey, {
    where: { accountId, apiKeyId, method, path, value },
    lock: { mode: "pessimistic_write" },
  });
  const leaseUntil = new Date(tx.now.getTime() + leaseMs);
  const fresh = {
    bodyHash,
    status: null,
    answer: null,
    contactId: null,
    leaseUntil,
    createdAt: tx.now,
  };
  if (known === null) {
    const row = { accountId, apiKeyId, method, path, value, ...fresh };
    const keyId = await insertOrLose(() => insertRow(tx, IdempotencyKey, row));
    return { kind: "run", keyId, leaseUntil };
  }
  if (known.createdAt.getTime() > tx.now.getTime() - keptMs) {
    const answered = judgeRepeat(known, bodyHash, tx.now);
    if (answered !== null) return answered;
  }
  await tx.manager.update(IdempotencyKey, known.id, fresh);
  return { kind: "run", keyId: known.id, leaseUntil };
}

/** Null if the first call ended without an answer: then this call may run. */
function judgeRepeat(known: IdempotencyKey, bodyHash: Buffer, now: Date): IdempotencyClaim | null {
  if (!known.bodyHash.equals(bodyHash)) {
    throw new AppError(
      "idempotency_key_reused",
      "This Idempotency-Key was used with another body. Use a new key for a new request.",
    );
  }
  if (known.status !== null && known.answer !== null) {
    return { kind: "replay", status: known.status, answer: known.answer };
  }
  if (known.leaseUntil > now) {
    throw inProgress();
  }
  return null;
}

function inProgress(): AppError {
  return new AppError(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Try again in a moment.",
  );
}

/**
 * Stores the answer, in the call's transaction: effect and answer commit together or not at all.
 * @throws AppError `idempotency_in_progress` if the lease expired and a later call took the key
 * over.
 */
export async function completeIdempotencyKey(
  tx: Tx,
  { keyId, leaseUntil }: IdempotencyLease,
  status: number,
  answer: Buffer,
): Promise<void> {
  const held = { id: keyId, leaseUntil };
  const contactId = contactIdIn(readData(answer));
  const { affected } = await tx.manager.update(IdempotencyKey, held, { status, answer, contactId });
  if (affected === 0) throw inProgress();
}

function readData(answer: Buffer): unknown {
  const envelope: unknown = JSON.parse(answer.toString("utf8"));
  return typeof envelope === "object" && envelope !== null ? Reflect.get(envelope, "data") : null;
}

/** Frees the key of a call that failed on our side. A committed answer stays. */
export async function releaseIdempotencyKey(
  tx: Tx,
  { keyId, leaseUntil }: IdempotencyLease,
): Promise<void> {
  await tx.manager.delete(IdempotencyKey, { id: keyId, leaseUntil, status: IsNull() });
}
