import type { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";

const orderWaitMs = 300;
/** A message that is with its channel for this long delays no younger message. */
const sendingMs = 30_000;
/**
 * A message that is this long in `queued`, or this long past its next try, delays no younger
 * message: its workflow has a problem.
 */
const queuedMs = 300_000;
const maxAhead = 100;

type Older = Pick<Message, "status" | "updatedAt" | "nextTryAt" | "heldAt">;

/**
 * Milliseconds for which a message waits for older ones of its conversation, because people read in
 * order (rule C26). An older message that backs off is waited for until its next try.
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
  const tries = ahead.map(({ nextTryAt }) => (nextTryAt?.getTime() ?? 0) - tx.now.getTime());
  return Math.max(ahead.length * orderWaitMs, Math.max(...tries) + orderWaitMs);
}

function isAhead({ status, updatedAt, nextTryAt, heldAt }: Older, now: Date): boolean {
  const ageMs = now.getTime() - updatedAt.getTime();
  if (status === "queued") return heldAt !== null || ageMs < queuedMs;
  if (status !== "sending") return false;
  if (nextTryAt !== null) return now.getTime() - nextTryAt.getTime() < queuedMs;
  return ageMs < sendingMs;
}
