import { invalidField, type AppError } from "../../core/errors.ts";
import type { Principal } from "../../core/model/principal.ts";
import { idempotencyKeys, storeAnswer } from "../../core/services/idempotency/idempotency-keys.ts";
import { claimKey, releaseKey, type Lease } from "../../core/services/idempotency/idempotency.ts";
import { transaction, type Deadline, type Tx } from "../../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { asAppError, presentError } from "./errors.ts";
import { waitBriefly } from "./deadline.ts";
import type { RequestFacts, Route } from "./route.ts";

/** An answer as bytes, ready to be sent or stored. */
export interface Reply {
  status: number;
  body: Buffer;
  headers: Record<string, string | string[]>;
}

/** The parts of a parsed call that identify its repetition. */
export interface Call {
  route: Route;
  actor: Principal;
  facts: RequestFacts;
  deadline: Deadline;
  path: string;
  /** The parsed body: its fields are in the order of the schema, not of the request. */
  body: unknown;
}

/** Runs the call. The call must pass its answer to `complete` inside its transaction. */
type Run = (complete: (tx: Tx, reply: Reply) => Promise<void>) => Promise<Reply>;

/**
 * Answers a POST with an `Idempotency-Key` once: a repetition reads the stored answer (rule C15).
 * Refusals are stored too, except 400, 429 and 5xx, which a retry may overcome.
 */
export async function answerOnce(deps: Deps, call: Call, run: Run): Promise<Reply> {
  const { route, actor, facts, deadline } = call;
  const value = facts.idempotencyKey;
  if (value === null || route.method !== "POST" || actor.type !== "api_key") {
    return await run(() => Promise.resolve());
  }
  requireUsableKey(value);
  const { accountId, apiKeyId } = actor;
  const claim = await transaction(deps.dataSource, { actor, deadline }, (tx) =>
    claimKey(
      tx,
      idempotencyKeys,
      { accountId, apiKeyId, method: "POST", path: call.path, value },
      JSON.stringify(call.body ?? null),
    ),
  );
  if (claim.kind === "replay") {
    return { ...claim.answer, headers: { "Idempotent-Replayed": "true" } };
  }
  try {
    return await run((tx, reply) => storeAnswer(tx, claim, reply));
  } catch (error) {
    await waitBriefly(keepRefusal(deps, call, claim, asAppError(error)));
    throw error;
  }
}

function requireUsableKey(value: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(value)) return;
  throw invalidField(
    "headers.idempotency-key",
    "invalid_idempotency_key",
    "Use 1 to 255 visible ASCII characters.",
  );
}

async function keepRefusal(deps: Deps, call: Call, lease: Lease, refusal: AppError): Promise<void> {
  const { status } = refusal;
  const options = { actor: call.actor };
  try {
    await transaction(deps.dataSource, options, async (tx) => {
      if (status >= 500 || status === 429 || status === 400)
        return await releaseKey(tx, idempotencyKeys, lease);
      const body = Buffer.from(JSON.stringify(presentError(refusal, call.facts.requestId)));
      return await storeAnswer(tx, lease, { status, body });
    });
  } catch (error) {
    // The caller reads the first error. The key's lease expires.
    deps.log.warn({ err: error }, "idempotency.not_kept");
  }
}
