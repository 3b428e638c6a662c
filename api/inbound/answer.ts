import type { InboundOutcome } from "../../core/model/inbound.ts";
import {
  claimKey,
  completeKey,
  releaseKey,
  type Lease,
} from "../../core/services/idempotency/idempotency.ts";
import { inboundEvents } from "../../core/services/idempotency/inbound-events.ts";
import { transaction, type Tx, type TxOptions } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { newDeadline, waitBriefly } from "../http/deadline.ts";

/** The action that a verified and parsed call requests. */
export interface AskedAction {
  event: string;
  run: (tx: Tx) => Promise<InboundOutcome>;
}

/** A verified and parsed call. */
export interface InboundRequestToAnswer {
  endpointId: number;
  action: AskedAction;
  /** Null if the caller sent none. Then a repetition cannot be recognized. */
  eventId: string | null;
  body: Uint8Array;
}

/** The answer for the caller. */
export interface InboundReply extends InboundOutcome {
  event: string;
  /** True if this is the answer of an earlier call with the same event id. */
  replayed: boolean;
}

/**
 * Runs the action of a call once for each event id. A repetition within 24 hours reads the first
 * success (rule C65). Refusals are not stored, so that the same call may succeed later.
 */
export async function answerInbound(
  deps: Deps,
  options: TxOptions,
  { endpointId, action, eventId, body }: InboundRequestToAnswer,
): Promise<InboundReply> {
  const { dataSource } = deps;
  const { event, run } = action;
  if (eventId === null) {
    const outcome = await transaction(dataSource, options, run);
    return { event, ...outcome, replayed: false };
  }
  const claim = await transaction(dataSource, options, (tx) =>
    claimKey(tx, inboundEvents, { accountId: options.actor.accountId, endpointId, eventId }, body),
  );
  if (claim.kind === "replay") return { event, ...claim.answer, replayed: true };
  try {
    const outcome = await transaction(dataSource, options, async (tx) => {
      const done = await run(tx);
      await completeKey(tx, inboundEvents, claim, done);
      return done;
    });
    return { event, ...outcome, replayed: false };
  } catch (error) {
    await waitBriefly(release(deps, { ...options, deadline: newDeadline() }, claim));
    throw error;
  }
}

async function release(deps: Deps, options: TxOptions, lease: Lease): Promise<void> {
  try {
    await transaction(deps.dataSource, options, (tx) => releaseKey(tx, inboundEvents, lease));
  } catch (error) {
    // The caller reads the first error. The lease expires.
    deps.log.warn({ err: error }, "inbound.not_released");
  }
}
