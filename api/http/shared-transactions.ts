import type { DataSource } from "typeorm";
import { createBatcher } from "../../core/batches.ts";
import type { Principal } from "../../core/model/principal.ts";
import { deadlineExceeded, isConflict, transaction, type Deadline } from "../../db/transaction.ts";
import type { Reply } from "./idempotency.ts";
import type { Answer, Input, Route } from "./route.ts";

/**
 * Runs a call of a route together with others of its API key. Calls that come while two such
 * transactions are under way go with the next one.
 * @returns null where the call needs a transaction of its own
 * @throws AppError the refusal of this call
 */
export type ShareTransaction = (call: SharedCall) => Promise<Reply | null>;

/** A call that may share a transaction. */
export interface SharedCall {
  input: Input<unknown, unknown, unknown>;
  deadline: Deadline;
  /** Makes the reply. It checks the answer, so it runs inside of the transaction. */
  present: (answer: Answer) => Reply;
}

/** A call in the queue. */
interface QueuedCall extends SharedCall {
  /** Time that is not yet taken from its deadline begins here. */
  since: number;
}

type RunTogether = NonNullable<Route["runTogether"]>;

/** Transactions of one key at once. If a lock holds one up, the other goes on. */
const atOnce = 2;
/** Most calls in one transaction. */
const most = 50;
/** Least database time of a call after a conflict that another call may have caused. */
const ownTryMs = 1_000;

/** Creates the shared transactions of a route. See docs/decisions/0058. */
export function createSharedTransactions(
  dataSource: DataSource,
  runTogether: RunTogether,
): ShareTransaction {
  // Calls share a queue while `apiKeyAuth` returns the same principal, for 0.8 s. It goes with it.
  const queues = new WeakMap<Principal, (call: QueuedCall) => Promise<Reply | null>>();

  return async (call) => {
    const { actor, facts } = call.input;
    // The answer of a call with an Idempotency-Key is stored in the transaction of that call.
    if (actor.type !== "api_key" || facts.idempotencyKey !== null) return null;
    const enqueue =
      queues.get(actor) ??
      createBatcher(
        async (calls: QueuedCall[]) => await runCalls(dataSource, actor, calls, runTogether),
        { atOnce, most },
      );
    queues.set(actor, enqueue);
    return await enqueue({ ...call, since: performance.now() });
  };
}

/** Runs those calls that have time left. Their wait in the queue counts as database time. */
async function runCalls(
  dataSource: DataSource,
  actor: Principal,
  calls: readonly QueuedCall[],
  runTogether: RunTogether,
): Promise<(Reply | Error | null)[]> {
  takeTime(calls);
  const inTime = calls.filter(({ deadline }) => deadline.remainingMs > 0);
  const replies =
    inTime.length === 0 ? [] : await runInTime(dataSource, actor, inTime, runTogether);
  const replyOf = new Map(inTime.map((call, index) => [call, replies[index] ?? null]));
  return calls.map((call) => {
    const reply = replyOf.get(call);
    return reply === undefined ? deadlineExceeded() : reply;
  });
}

async function runInTime(
  dataSource: DataSource,
  actor: Principal,
  calls: readonly QueuedCall[],
  runTogether: RunTogether,
): Promise<(Reply | Error | null)[]> {
  const inputs = calls.map(({ input }) => input);
  let isCommitting = false;
  try {
    const outcomes = await transaction(dataSource, { actor, tries: 1 }, async (tx) => {
      const answers = await runTogether(tx, inputs);
      const replies = calls.map(({ present }, index) => {
        const answer = answers[index] ?? null;
        return answer === null || answer instanceof Error ? answer : present(answer);
      });
      isCommitting = true;
      return replies;
    });
    takeTime(calls);
    return outcomes;
  } catch (error) {
    takeTime(calls);
    // A commit without an answer may have taken effect, so its calls do not run again.
    if (isCommitting) return calls.map(() => asError(error));
    // One call may have spoiled it for all of them. Now each runs by itself.
    for (const { deadline } of isConflict(error) ? calls : []) {
      deadline.remainingMs = Math.max(deadline.remainingMs, ownTryMs);
    }
    return calls.map(() => null);
  }
}

function takeTime(calls: readonly QueuedCall[]): void {
  const now = performance.now();
  for (const call of calls) {
    call.deadline.remainingMs -= now - call.since;
    call.since = now;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
