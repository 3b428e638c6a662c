import { Message } from "../../../db/entities/message.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { MessageError } from "../../model/message.ts";
import {
  freeLimitMs,
  limitWaitMs,
  maxBlockedTries,
  pairWaitsMs,
  sendWaitsMs,
  type SendOutcome,
} from "../../model/workflow/sending.ts";

/**
 * A message that the channel does not have, and that may be sent again:
 * - `transient`: after a wait of at least `waitMs`. The scope has to wait: messages to this customer,
 *   of this number, or all of the provider;
 * - `blocked`: once the channel can send again.
 */
export type SendTrouble =
  | {
      kind: "transient";
      scope: "pair" | "number" | "provider";
      waitMs: number;
      providerCode: string | null;
    }
  | { kind: "blocked"; state: "needs_reauth" | "degraded"; providerCode: string };

/** Decision about a message in trouble. */
type Verdict =
  | { waitMs: number; columns: Partial<Message> }
  | { held: true }
  | { error: MessageError };

/** Longer than a hand-over: 3 s to begin it, 12 s for the answer, and 40 s to store the answer. */
const handOverMs = 60_000;
const firstLookMs = 2_000;

/**
 * Outcome for a caller that finds a message in flight. The answer may still come to another process,
 * so the caller looks again after 2 s, and later at twice the age. After a minute nobody knows.
 */
export function judgeInFlight(since: Date, now: Date): SendOutcome {
  const ageMs = now.getTime() - since.getTime();
  if (ageMs >= handOverMs) return { state: "unknown" };
  const waitMs = Math.min(Math.max(firstLookMs, ageMs), handOverMs - ageMs);
  return { state: "waiting", waitMs, why: "order" };
}

/** Stores that a hand-over has ended without an answer: a caller need not look for one. */
export async function noteUnanswered(
  tx: Tx,
  { id, inFlightSince: since }: Pick<Message, "id" | "inFlightSince">,
): Promise<void> {
  const ended = new Date(tx.now.getTime() - handOverMs);
  if (since === null || since <= ended) return;
  const where = { id, accountId: tx.actor.accountId };
  await tx.manager.update(Message, where, { inFlightSince: ended });
}

/**
 * The wait before the next try. It depends on the tries so far, so a repeated call decides the
 * same. For 15 minutes the limit of a number costs a message no try.
 * @param message handed over, its tries counted
 * @param triesBefore number of tries before an upload, which is never in flight; null for a hand-over
 */
export function judgeTransient(
  message: Pick<Message, "tries" | "limitedSince" | "inFlightSince">,
  { scope, waitMs, providerCode }: Extract<SendTrouble, { kind: "transient" }>,
  now: Date,
  triesBefore: number | null = null,
): Verdict {
  const limitedSince = scope === "number" ? (message.limitedSince ?? now) : message.limitedSince;
  const isFree =
    scope === "number" && now.getTime() - (limitedSince ?? now).getTime() < freeLimitMs;
  const waits = scope === "pair" ? pairWaitsMs : sendWaitsMs;
  const listed = isFree ? limitWaitMs : waits[message.tries - 1];
  if (listed === undefined) return { error: unavailable(message.tries, providerCode) };
  const nextMs = Math.max(listed, waitMs);
  const nextTryAt = new Date(now.getTime() + nextMs);
  // A repeated call finds the message out of flight, with its try given back.
  const isOver = message.inFlightSince === null;
  const freeTries = triesBefore ?? (isOver ? message.tries : message.tries - 1);
  const tries = isFree ? freeTries : message.tries;
  return { waitMs: nextMs, columns: { nextTryAt, limitedSince, tries } };
}

/**
 * A message that is refused again and again fails, because the channel may well be fine.
 * @param isAlone the refusal holds for this message, not for its channel
 */
export function judgeBlocked(
  { tries }: Pick<Message, "tries">,
  { providerCode }: Pick<SendTrouble, "providerCode">,
  isAlone: boolean,
): Verdict {
  if (isAlone) return { error: refused(providerCode) };
  if (tries >= maxBlockedTries) return { error: unavailable(tries, providerCode) };
  return { held: true };
}

/** Notes that the channel may have held messages. The row stays locked until the commit. */
export async function noteHeld(tx: Tx, channelAccountId: number): Promise<void> {
  await tx.manager.query(
    "UPDATE channel_accounts SET held_since = COALESCE(held_since, ?) WHERE id = ?",
    [tx.now, channelAccountId],
  );
}

function refused(providerCode: string | null): MessageError {
  return {
    code: "refused",
    message: "The channel refused the message.",
    provider_code: providerCode,
  };
}

function unavailable(tries: number, providerCode: string | null): MessageError {
  return {
    code: "channel_unavailable",
    message: `The channel could not take the message in ${tries} tries.`,
    provider_code: providerCode,
  };
}
