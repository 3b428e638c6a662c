import type { Tx } from "../../../db/transaction.ts";
import {
  deliveryTransitions,
  type AttemptInput,
  type AttemptOutcome,
} from "../../model/workflow/delivery.ts";
import { actAs } from "../act-as.ts";
import { lockMaterials, type AttemptMaterial, type LockedMaterial } from "./attempt-material.ts";
import { stopDelivery, type DeliveryStop } from "./delivery-ends.ts";
import {
  lockError,
  outcomeWithoutPost,
  workflowIdOf,
  type DeliveryFacts,
  type LockOptions,
} from "./delivery-facts.ts";
import { setDeliveryState, type FirstAttemptPath } from "./delivery-state.ts";
import { hourOf } from "../subscriptions/subscription-stats.ts";

/** Either the material of a POST, or the outcome without one. */
export type AttemptStart =
  | { go: true; material: AttemptMaterial }
  | { go: false; outcome: AttemptOutcome }
  /** The host limiter allows no further attempt to the receiver's host, or of the subscription. */
  | { go: false; busyHost: string; subscriptionId: number }
  /** The same attempt began a moment ago, and may still be posting for this long. */
  | { go: false; underWayMs: number };

/** Acquires a slot for an attempt; not a second one where it has one. @returns false where none is free */
export type TakeSlot = (input: AttemptInput, material: AttemptMaterial) => boolean;

/** An attempt to make, with its locked row. */
interface BegunAttempt {
  input: AttemptInput;
  facts: DeliveryFacts;
  material: AttemptMaterial;
}

/**
 * Records attempts before their POSTs, all in a few statements. There is no POST if the run is no
 * longer current, the delivery has ended, or its event is erased. Nor if its subscription is not
 * active, or this very attempt was completed before a crash. The POST has to wait while the same
 * attempt may be under way, or its host is busy. An attempt that a crash interrupted counts as one
 * more post of the same attempt.
 * @returns the start of each attempt, in their order; an Error where an attempt cannot be made, or
 *   its row is skipped.
 */
export async function beginAttempts(
  tx: Tx,
  inputs: readonly AttemptInput[],
  takeSlot: TakeSlot,
  locking: LockOptions = {},
): Promise<(AttemptStart | Error)[]> {
  if (inputs.length === 0) return [];
  const ids = inputs.map(({ deliveryId }) => deliveryId);
  const locked = await lockMaterials(tx, ids, locking);
  const starts: (AttemptStart | BegunAttempt | Error)[] = [];
  for (const input of inputs) {
    const own = locked.get(input.deliveryId);
    const start =
      own === undefined
        ? lockError(input.deliveryId, locking)
        : await startOf(tx, input, own, takeSlot);
    starts.push(start);
  }
  const begun = starts.filter((start) => "facts" in start);
  if (begun.length > 0) {
    await writeAhead(tx, begun);
    await markSending(tx, begun);
  }
  return starts.map((start) => ("facts" in start ? { go: true, material: start.material } : start));
}

async function startOf(
  tx: Tx,
  input: AttemptInput,
  { facts, material }: LockedMaterial,
  takeSlot: TakeSlot,
): Promise<AttemptStart | BegunAttempt | Error> {
  const outcome = outcomeWithoutPost(facts, input, tx.now);
  if (outcome !== null) return { go: false, outcome };
  const stopped = stopFor(facts);
  if (stopped !== null) {
    await stopDelivery(actAs(tx, "system", facts.account_id), input.deliveryId, stopped);
    return { go: false, outcome: { state: deliveryTransitions[stopped.trigger].to } };
  }
  const underWayMs = underWayFor(facts, tx.now);
  if (underWayMs > 0) return { go: false, underWayMs };
  if (material === undefined) return new Error("A subscription has no secret.");
  if (!takeSlot(input, material)) {
    const subscriptionId = material.subscription.id;
    return { go: false, busyHost: new URL(material.url).host, subscriptionId };
  }
  return { input, facts, material };
}

/**
 * An attempt begins within 3 s and posts for up to 8 s. Temporal's 20 s for an attempt count from
 * the moment at which the task leaves the server. A task that is delayed on its way may begin
 * together with its repetition. Both would then reach the receiver. This limit costs no time after
 * the death of a worker: its attempts are repeated after 15 s at the earliest.
 */
const longestPostMs = 12_000;

/** Time in ms for which the delivery's attempt may still be posting somewhere. */
function underWayFor({ state, updated_at: begunAt }: DeliveryFacts, now: Date): number {
  return state === "sending" ? begunAt.getTime() + longestPostMs - now.getTime() : 0;
}

/** Reason to stop an open delivery before its attempt, or null. */
function stopFor(facts: DeliveryFacts): DeliveryStop | null {
  if (facts.erased === 1) return { trigger: "cancel", reason: "erased" };
  switch (facts.subscription_state) {
    case "active":
      return null;
    case "paused":
      return { trigger: "hold", reason: "subscription_paused" };
    case "disabled":
      return { trigger: "hold", reason: "subscription_disabled" };
    case "deleted":
      return { trigger: "cancel", reason: "subscription_deleted" };
  }
}

async function writeAhead(tx: Tx, begun: readonly BegunAttempt[]): Promise<void> {
  await tx.manager.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, subscription_id, run, seq, number, manual,
                                    started_at, started_hour, request_url)
     VALUES ${begun.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")} AS new
     ON DUPLICATE KEY UPDATE posts = delivery_attempts.posts + 1, started_at = new.started_at,
            started_hour = new.started_hour, request_url = new.request_url`,
    begun.flatMap(({ input, facts, material }) => [
      facts.account_id,
      input.deliveryId,
      facts.subscription_id,
      input.run,
      input.seq,
      input.number,
      input.manual,
      tx.now,
      hourOf(tx.now),
      material.url,
    ]),
  );
}

/** One statement for all workflows, and one for all relays. */
async function markSending(tx: Tx, begun: readonly BegunAttempt[]): Promise<void> {
  const byRelay = begun.filter(({ input }) => input.via === "relay");
  const takenOver = begun.filter(isTakenOver);
  const others = begun.filter((one) => one.input.via !== "relay" && !isTakenOver(one));
  await send(tx, byRelay, { via: "relay", workflowId: null });
  await send(tx, others, null);
  for (const one of takenOver) {
    await send(tx, [one], { via: "workflow", workflowId: workflowIdOf(one.facts) });
  }
}

/** The relay died during the first attempt, and a workflow makes that attempt again. */
function isTakenOver({ input, facts }: BegunAttempt): boolean {
  return input.via !== "relay" && input.seq === 1 && facts.via === "relay";
}

async function send(
  tx: Tx,
  begun: readonly BegunAttempt[],
  path: FirstAttemptPath | null,
): Promise<void> {
  if (begun.length === 0) return;
  const ids = begun.map(({ facts }) => facts.id);
  await setDeliveryState(tx, ids, { trigger: "send", path });
}
