import { createHash } from "node:crypto";
import { IsNull, type FindOptionsWhere, type QueryDeepPartialEntity } from "typeorm";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { insertOrLose, insertRow } from "../sql.ts";
import { dayMs, minuteMs } from "../../model/durations.ts";

/** Answers are kept for 24 hours (rules C15 and C65). */
const keptMs = dayMs;
/** After this time another call with the key may run. */
const leaseMs = minuteMs;

/** Columns that each table of calls has. */
interface CallColumns {
  bodyHash: Buffer;
  /** Until this time the first call counts as running. */
  leaseUntil: Date;
  createdAt: Date;
}

type CallRow = CallColumns & { id: number };

/** A kind of call that takes effect once for each key, with the table of its keys. */
export interface IdempotentCalls<Row extends CallRow, Answer> {
  entity: new () => Row;
  /** The caller's name for the key, in errors. */
  keyName: string;
  /** The columns of an answer, empty. */
  unanswered: Record<string, null>;
  /** The stored answer; null while the first call runs, or where it ended without an answer. */
  answerOf(row: Row): Answer | null;
}

/** A call's lease of its key. */
export interface Lease {
  id: number;
  leaseUntil: Date;
}

/** Next step of a call: run and complete the key, or repeat the stored answer. */
export type Claim<Answer> = ({ kind: "run" } & Lease) | { kind: "replay"; answer: Answer };

/**
 * Claims the key of a call. Commit the claim before the call runs, or a second caller would wait
 * for the first instead of reading 409.
 * @param key the columns of the key
 * @param body bytes that the repetitions of a call have in common
 * @throws AppError `idempotency_key_reused` (another body), `idempotency_in_progress`.
 */
export async function claimKey<Row extends CallRow, Answer>(
  tx: Tx,
  calls: IdempotentCalls<Row, Answer>,
  key: Partial<Row>,
  body: string | Uint8Array,
): Promise<Claim<Answer>> {
  const bodyHash = createHash("sha256").update(body).digest();
  const known = await tx.manager.findOne(calls.entity, {
    where: key as FindOptionsWhere<Row>,
    lock: { mode: "pessimistic_write" },
  });
  const leaseUntil = new Date(tx.now.getTime() + leaseMs);
  const common: CallColumns = { bodyHash, leaseUntil, createdAt: tx.now };
  const fresh = { ...calls.unanswered, ...common } as Partial<Row>;
  if (known === null) {
    const row = { ...key, ...fresh };
    return {
      kind: "run",
      id: await insertOrLose(() => insertRow(tx, calls.entity, row)),
      leaseUntil,
    };
  }
  if (known.createdAt.getTime() > tx.now.getTime() - keptMs) {
    const answer = answerRepeat(calls, known, bodyHash, tx.now);
    if (answer !== null) return { kind: "replay", answer };
  }
  await tx.manager.update(calls.entity, known.id, fresh as object);
  return { kind: "run", id: known.id, leaseUntil };
}

/** Null if the first call ended without an answer: then this call may run. */
function answerRepeat<Row extends CallRow, Answer>(
  calls: IdempotentCalls<Row, Answer>,
  known: Row,
  bodyHash: Buffer,
  now: Date,
): Answer | null {
  if (!known.bodyHash.equals(bodyHash)) {
    throw new AppError("idempotency_key_reused", {
      message: `This ${calls.keyName} was used with another body. Use a new one for a new request.`,
    });
  }
  const answer = calls.answerOf(known);
  if (answer === null && known.leaseUntil > now) throw inProgress(calls);
  return answer;
}

function inProgress({ keyName }: { keyName: string }): AppError {
  return new AppError("idempotency_in_progress", {
    message: `The first request with this ${keyName} is still running. Try again in a moment.`,
  });
}

/**
 * Stores the answer, in the call's transaction: effect and answer commit together or not at all.
 * @throws AppError `idempotency_in_progress` if the lease expired and a later call took the key
 * over.
 */
export async function completeKey<Row extends CallRow, Answer>(
  tx: Tx,
  calls: IdempotentCalls<Row, Answer>,
  { id, leaseUntil }: Lease,
  answer: QueryDeepPartialEntity<Row>,
): Promise<void> {
  const held = { id, leaseUntil } as FindOptionsWhere<Row>;
  const { affected } = await tx.manager.update(calls.entity, held, answer);
  if (affected === 0) throw inProgress(calls);
}

/** Frees the key of a call that left no answer. A committed answer stays. */
export async function releaseKey<Row extends CallRow, Answer>(
  tx: Tx,
  { entity, unanswered }: IdempotentCalls<Row, Answer>,
  { id, leaseUntil }: Lease,
): Promise<void> {
  const isUnanswered = Object.fromEntries(Object.keys(unanswered).map((name) => [name, IsNull()]));
  const held = { id, leaseUntil, ...isUnanswered } as FindOptionsWhere<Row>;
  await tx.manager.delete(entity, held);
}
