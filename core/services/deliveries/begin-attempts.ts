import { bytesToUuid } from "../../../db/entities/columns.ts";
import type { Tx } from "../../../db/transaction.ts";
import {
  deliveryTransitions,
  type AttemptInput,
  type AttemptOutcome,
} from "../../model/workflow/delivery.ts";
import type { EventType } from "../../model/events.ts";
import { stopDelivery, type DeliveryStop } from "./delivery-ends.ts";
import {
  inAccount,
  lockDeliveries,
  lockError,
  outcomeWithoutPost,
  workflowIdOf,
  type DeliveryFacts,
  type LockOptions,
} from "./delivery-facts.ts";
import { setDeliveryState, type FirstAttemptPath } from "./delivery-state.ts";
import { placeholders } from "../sql.ts";
import { hourOf } from "../subscriptions/subscription-stats.ts";
import { secretContext } from "../subscriptions/subscriptions.ts";

/** Material for the POST of an attempt, as it is now. */
export interface AttemptMaterial {
  accountId: number;
  eventId: string;
  eventType: EventType;
  occurredAt: Date;
  url: string;
  /** The stored bytes, the same on every attempt. */
  body: Buffer;
  /** Sealed secrets that sign now, the newest first. `secretContext` is needed to open them. */
  sealedSecrets: string[];
  secretContext: string;
}

/** Either the material of a POST, or the outcome without one. */
export type AttemptStart =
  | { go: true; material: AttemptMaterial }
  | { go: false; outcome: AttemptOutcome }
  /** The host limiter allows no further attempt to the receiver's host. */
  | { go: false; busyHost: string }
  /** The same attempt began a moment ago, and may still be posting for this long. */
  | { go: false; underWayMs: number };

/** An attempt to begin. */
export interface AttemptToBegin {
  input: AttemptInput;
  /**
   * @returns true where the host may have another attempt now. Called again if the transaction is
   *   repeated.
   */
  enterHost: (host: string) => boolean;
}

/** An attempt to make, with its locked row. */
interface BegunAttempt {
  input: AttemptInput;
  facts: DeliveryFacts;
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
  attempts: readonly AttemptToBegin[],
  locking: LockOptions = {},
): Promise<(AttemptStart | Error)[]> {
  const ids = attempts.map(({ input }) => input.deliveryId);
  const locked = await lockDeliveries(tx, ids, locking);
  const starts: (AttemptStart | BegunAttempt | Error)[] = [];
  for (const attempt of attempts) {
    const { deliveryId } = attempt.input;
    const facts = locked.get(deliveryId);
    const start =
      facts === undefined ? lockError(deliveryId, locking) : await judge(tx, attempt, facts);
    starts.push(start);
  }
  const materials = await writeDown(
    tx,
    starts.filter((start) => "facts" in start),
  );
  return starts.map((start) => {
    if (!("facts" in start)) return start;
    const material = materials.get(start.facts.id);
    return material === undefined
      ? new Error("A subscription has no secret.")
      : { go: true, material };
  });
}

async function judge(
  tx: Tx,
  { input, enterHost }: AttemptToBegin,
  facts: DeliveryFacts,
): Promise<AttemptStart | BegunAttempt> {
  const outcome = outcomeWithoutPost(facts, input, tx.now);
  if (outcome !== null) return { go: false, outcome };
  const stopped = stopFor(facts);
  if (stopped !== null) {
    await stopDelivery(inAccount(tx, facts), input.deliveryId, stopped);
    return { go: false, outcome: { state: deliveryTransitions[stopped.trigger].to } };
  }
  const underWayMs = underWayFor(facts, tx.now);
  if (underWayMs > 0) return { go: false, underWayMs };
  const { host } = new URL(facts.url);
  return enterHost(host) ? { input, facts } : { go: false, busyHost: host };
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

async function writeDown(
  tx: Tx,
  begun: readonly BegunAttempt[],
): Promise<Map<number, AttemptMaterial>> {
  if (begun.length === 0) return new Map();
  await writeAhead(tx, begun);
  await markSending(tx, begun);
  return await readMaterials(tx, begun);
}

async function writeAhead(tx: Tx, begun: readonly BegunAttempt[]): Promise<void> {
  await tx.manager.query(
    `INSERT INTO delivery_attempts (account_id, delivery_id, subscription_id, run, seq, number, manual,
                                    started_at, started_hour, request_url)
     VALUES ${begun.map(() => "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")} AS new
     ON DUPLICATE KEY UPDATE posts = delivery_attempts.posts + 1, started_at = new.started_at,
            started_hour = new.started_hour, request_url = new.request_url`,
    begun.flatMap(({ input, facts }) => [
      facts.account_id,
      input.deliveryId,
      facts.subscription_id,
      input.run,
      input.seq,
      input.number,
      input.manual,
      tx.now,
      hourOf(tx.now),
      facts.url,
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

interface MaterialRow {
  id: number;
  body: Buffer;
  occurred_at: Date;
  sealed: string;
}

/** Materials by delivery id. Missing where the subscription has no secret. */
async function readMaterials(
  tx: Tx,
  begun: readonly BegunAttempt[],
): Promise<Map<number, AttemptMaterial>> {
  const ids = begun.map(({ facts }) => facts.id);
  const rows = await tx.manager.query<MaterialRow[]>(
    `SELECT d.id, e.body, e.occurred_at, x.sealed
       FROM deliveries d
       JOIN events e ON e.id = d.event_id
       JOIN subscription_secrets x ON x.subscription_id = d.subscription_id AND (x.valid_until IS NULL OR x.valid_until > ?)
      WHERE d.id IN (${placeholders(ids)}) ORDER BY d.id, x.id DESC`,
    [tx.now, ...ids],
  );
  const facts = new Map(begun.map((one) => [one.facts.id, one.facts]));
  const materials = new Map<number, AttemptMaterial>();
  for (const row of rows) {
    const known = materials.get(row.id);
    const its = facts.get(row.id);
    if (known !== undefined) known.sealedSecrets.push(row.sealed);
    else if (its !== undefined) materials.set(row.id, materialOf(its, row));
  }
  return materials;
}

function materialOf(facts: DeliveryFacts, row: MaterialRow): AttemptMaterial {
  return {
    accountId: facts.account_id,
    eventId: bytesToUuid(facts.event_id),
    eventType: facts.event_type,
    occurredAt: row.occurred_at,
    url: facts.url,
    body: row.body,
    sealedSecrets: [row.sealed],
    secretContext: secretContext(facts.account_id, facts.subscription_id),
  };
}
