import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";

const orderWaitMs = 300;
/** Longest pause between two looks at an older message that gives no sign. */
const maxOrderWaitMs = 10_000;
/** A message that is with its channel for this long delays no younger message. */
const sendingMs = 30_000;
/**
 * A message that is this long in `queued`, or this long past its next look or try, delays no younger
 * message: its workflow has a problem.
 */
const queuedMs = 300_000;
/** A busy worker looks so much later than it should. */
const lateMs = 60_000;
const maxAhead = 100;

type Older = Pick<Message, "status" | "updatedAt" | "nextTryAt" | "heldAt">;

/**
 * Milliseconds for which a message waits for older ones of its conversation, because people read in
 * order (rule C26). An older message that backs off is waited for until its next try. The longer none
 * of them gives a sign, the longer the wait: a file may take days.
 * @returns 0 where nothing is ahead
 */
export async function findOrderWait(tx: Tx, message: Message): Promise<number> {
  const older = await tx.manager.query<Older[]>(
    `SELECT status, updated_at AS updatedAt, next_try_at AS nextTryAt, held_at AS heldAt
       FROM messages WHERE conversation_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    [message.conversationId, message.id, maxAhead],
  );
  const ahead = older.filter((one) => isAhead(one, tx.now));
  if (ahead.length === 0) return 0;
  // A message that has just left counts too, because the others follow soon.
  const silentMs = tx.now.getTime() - Math.max(...older.map(lastSign));
  const lookAgainMs = Math.max(orderWaitMs, Math.min(Math.floor(silentMs / 4), maxOrderWaitMs));
  const tries = ahead.map(({ nextTryAt }) => (nextTryAt?.getTime() ?? 0) - tx.now.getTime());
  const inTurnMs = lookAgainMs + (ahead.length - 1) * orderWaitMs;
  return Math.max(inTurnMs, Math.max(...tries) + orderWaitMs);
}

/**
 * Stores when a message looks again that waits for older ones, its file, its template or the pace.
 * Without this a message that waits for long would seem to have no workflow, and younger ones would
 * pass it. Short waits are not stored.
 */
export async function noteWait(tx: Tx, message: Message, waitMs: number): Promise<void> {
  const looksAt = tx.now.getTime() + waitMs;
  if (looksAt + lateMs < lastSign(message) + queuedMs) return;
  const columns = { nextTryAt: new Date(looksAt), updatedAt: tx.now };
  await tx.manager.update(Message, { id: message.id, accountId: tx.actor.accountId }, columns);
}

function isAhead(older: Older, now: Date): boolean {
  const { status, updatedAt, nextTryAt, heldAt } = older;
  if (status === "queued") return heldAt !== null || now.getTime() - lastSign(older) < queuedMs;
  if (status !== "sending") return false;
  if (nextTryAt !== null) return now.getTime() - nextTryAt.getTime() < queuedMs;
  return now.getTime() - updatedAt.getTime() < sendingMs;
}

/** The last moment, past or to come, at which the workflow of a message acts; epoch in ms. */
function lastSign({ updatedAt, nextTryAt }: Pick<Message, "updatedAt" | "nextTryAt">): number {
  return Math.max(updatedAt.getTime(), nextTryAt?.getTime() ?? 0);
}
