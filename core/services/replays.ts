import { Replay } from "../../db/entities/replay.ts";
import type { Tx } from "../../db/transaction.ts";
import { AppError, notFound } from "../errors.ts";
import type { ReplayableState, ReplayState } from "../model/replay.ts";
import { actingUserId } from "./actor.ts";
import { recordAudit } from "./audit.ts";
import { request } from "./outbox.ts";
import { insertRow, placeholders } from "./sql.ts";
import { getSubscription } from "./subscriptions.ts";

/** What is to be sent again. */
export interface ReplayInput {
  /** Only deliveries made from then on. */
  since: Date | null;
  states: ReplayableState[];
}

/**
 * Drafts a replay: counts the deliveries it covers, up to the newest one there is, and sends nothing.
 * @throws AppError `subscription_not_found`
 */
export async function draftReplay(
  tx: Tx,
  subscriptionId: number,
  { since, states }: ReplayInput,
): Promise<Replay> {
  await getSubscription(tx, subscriptionId);
  const { accountId } = tx.actor;
  const [found] = await tx.manager.query<{ total: number; newest: number | null }[]>(
    `SELECT COUNT(*) AS total, MAX(id) AS newest FROM deliveries FORCE INDEX (deliveries_subscription)
      WHERE account_id = ? AND subscription_id = ? AND state IN (${placeholders(states)})
        AND created_at >= ?`,
    [accountId, subscriptionId, ...states, since ?? new Date(0)],
  );
  const row = tx.manager.create(Replay, {
    accountId,
    subscriptionId,
    state: "draft",
    states,
    since,
    newestId: Number(found?.newest ?? 0),
    cursorId: 0,
    total: Number(found?.total ?? 0),
    queued: 0,
    passedOver: 0,
    run: 0,
    createdByUserId: actingUserId(tx.actor),
    createdAt: tx.now,
    updatedAt: tx.now,
    finishedAt: null,
  });
  row.id = await insertRow(tx, Replay, row);
  await recordAudit(
    tx,
    audit("drafted", row.id, { subscription_id: subscriptionId, states, since }),
  );
  return row;
}

/**
 * The replays of a subscription, newest first, with their exact total.
 * @throws AppError `subscription_not_found`
 */
export async function listReplays(
  tx: Tx,
  subscriptionId: number,
  page: { limit: number; offset: number },
): Promise<[Replay[], number]> {
  await getSubscription(tx, subscriptionId);
  return await tx.manager.findAndCount(Replay, {
    where: { accountId: tx.actor.accountId, subscriptionId },
    order: { id: "DESC" },
    take: page.limit,
    skip: page.offset,
  });
}

/** @throws AppError `replay_not_found` */
export async function getReplay(tx: Tx, id: number): Promise<Replay> {
  return await findOwn(tx, id, false);
}

/** What a person may do to a replay: from which states, and into which one. */
const steps = {
  start: { from: ["draft"], to: "running", verb: "started" },
  pause: { from: ["running"], to: "paused", verb: "paused" },
  resume: { from: ["paused"], to: "running", verb: "resumed" },
  cancel: { from: ["draft", "running", "paused"], to: "cancelled", verb: "cancelled" },
} satisfies Record<string, { from: ReplayState[]; to: ReplayState; verb: string }>;
export type ReplayStep = keyof typeof steps;

/**
 * Starts, pauses, resumes or cancels a replay. Each start is a workflow of its own, which goes on
 * where the one before it stopped. What was queued already goes out.
 * @throws AppError `replay_not_found`, `replay_state`
 */
export async function changeReplay(tx: Tx, id: number, step: ReplayStep): Promise<Replay> {
  const row = await findOwn(tx, id, true);
  const { from, to, verb } = steps[step];
  if (!from.some((state) => state === row.state)) {
    throw new AppError(
      "replay_state",
      `This replay is ${row.state}; ${step} does not apply to it.`,
    );
  }
  const run = to === "running" ? row.run + 1 : row.run;
  const finishedAt = to === "cancelled" ? tx.now : null;
  const changed = { state: to, run, updatedAt: tx.now, finishedAt };
  await tx.manager.update(Replay, id, changed);
  if (to === "running") await requestRun(tx, row, run);
  await recordAudit(tx, audit(verb, id, { queued: row.queued, total: row.total }));
  return Object.assign(row, changed);
}

async function requestRun(tx: Tx, { id, accountId }: Replay, run: number): Promise<void> {
  await request(tx, {
    op: "start",
    workflow: "replayDeliveries",
    workflowId: `replay-${id}-r${run}`,
    taskQueue: "ops",
    input: { accountId, replayId: id, run },
    summary: `replay ${id}`,
  });
}

async function findOwn(tx: Tx, id: number, lock: boolean): Promise<Replay> {
  const row = await tx.manager.findOne(Replay, {
    where: { id, accountId: tx.actor.accountId },
    ...(lock ? { lock: { mode: "pessimistic_write" as const } } : {}),
  });
  if (row === null) throw notFound("replay");
  return row;
}

function audit(action: string, targetId: number, details: Record<string, unknown>) {
  return { action: `replay.${action}`, targetType: "replay", targetId, details };
}
