import { Replay } from "../../../db/entities/replay.ts";
import type { Tx } from "../../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { replayCountLooks, type ReplayableState, type ReplayState } from "../../model/replay.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import type { Page, PageBounds } from "../../model/page.ts";
import { actingUserId } from "../accounts/actor.ts";
import { auditOf, recordAudit } from "../accounts/audit.ts";
import { request } from "../outbox/outbox.ts";
import { findPage, getOwned, insertRow, lockOwned, placeholders } from "../sql.ts";
import { getSubscription } from "../subscriptions/subscriptions.ts";

const audit = auditOf("replay");

/** Selection of the deliveries to send again. */
export interface ReplayInput {
  /** Only deliveries that were created from then on. */
  since: Date | null;
  states: ReplayableState[];
}

/**
 * Drafts a replay: counts the deliveries that it covers, up to the newest existing one, and sends
 * nothing.
 * @param looks number of deliveries to read; where there are more, the replay covers at least
 *   `total`.
 * @throws AppError `subscription_not_found`
 */
export async function draftReplay(
  tx: Tx,
  subscriptionId: number,
  { since, states }: ReplayInput,
  looks = replayCountLooks,
): Promise<Replay> {
  await getSubscription(tx, subscriptionId);
  const { accountId } = tx.actor;
  const covered = await countCovered(tx, subscriptionId, { since, states }, looks);
  const row = tx.manager.create(Replay, {
    accountId,
    subscriptionId,
    state: "draft",
    states,
    since,
    ...covered,
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

/** Time limit of a count. A count that takes longer means a fault of the database. */
const countMs = 5_000;

/**
 * Counts from the newest delivery back, so that `since` limits the read: ids grow with time, to
 * within seconds. Batches start at the oldest match, unless there were too many deliveries to read.
 * @throws error `ER_QUERY_TIMEOUT` after 5 s
 */
async function countCovered(
  tx: Tx,
  subscriptionId: number,
  { since, states }: ReplayInput,
  looks: number,
): Promise<Pick<Replay, "total" | "totalAtLeast" | "cursorId" | "newestId">> {
  const own = [tx.actor.accountId, subscriptionId];
  // The newest delivery that the count does not read.
  const [edge] = await tx.manager.query<{ id: number; created_at: Date }[]>(
    `SELECT /*+ MAX_EXECUTION_TIME(${countMs}) */ d.id, d.created_at
       FROM (SELECT id FROM deliveries FORCE INDEX (deliveries_subscription)
              WHERE account_id = ? AND subscription_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?) AS edge
       JOIN deliveries d ON d.id = edge.id`,
    [...own, looks],
  );
  const [found] = await tx.manager.query<
    { total: number; oldest: number | null; newest: number | null }[]
  >(
    `SELECT /*+ MAX_EXECUTION_TIME(${countMs}) */ COUNT(*) AS total, MIN(id) AS oldest, MAX(id) AS newest
       FROM deliveries FORCE INDEX (deliveries_subscription)
      WHERE account_id = ? AND subscription_id = ? AND id > ? AND state IN (${placeholders(states)})
        AND created_at >= ?`,
    [...own, edge?.id ?? 0, ...states, since ?? new Date(0)],
  );
  const totalAtLeast = edge !== undefined && (since === null || edge.created_at >= since);
  const oldest = found?.oldest ?? 0;
  return {
    total: Number(found?.total ?? 0),
    totalAtLeast,
    cursorId: totalAtLeast ? 0 : Math.max(0, oldest - 1),
    newestId: found?.newest ?? (totalAtLeast ? edge.id : 0),
  };
}

/**
 * The replays of a subscription, newest first, with their exact total.
 * @throws AppError `subscription_not_found`
 */
export async function listReplays(
  tx: Tx,
  subscriptionId: number,
  page: PageBounds,
): Promise<Page<Replay>> {
  await getSubscription(tx, subscriptionId);
  return await findPage(tx, Replay, page, {
    where: { accountId: tx.actor.accountId, subscriptionId },
    order: { id: "DESC" },
  });
}

/** @throws AppError `replay_not_found` */
export async function getReplay(tx: Tx, id: number): Promise<Replay> {
  return await getOwned(tx, Replay, "replay", { id });
}

/** Steps of a replay: allowed states before, and the state after. */
const steps = {
  start: { from: ["draft"], to: "running", verb: "started" },
  pause: { from: ["running"], to: "paused", verb: "paused" },
  resume: { from: ["paused"], to: "running", verb: "resumed" },
  cancel: { from: ["draft", "running", "paused"], to: "cancelled", verb: "cancelled" },
} satisfies Record<string, { from: ReplayState[]; to: ReplayState; verb: string }>;
export type ReplayStep = keyof typeof steps;

/**
 * Starts, pauses, resumes or cancels a replay. Each start or resumption is a workflow of its own,
 * which continues where the one before it stopped. Deliveries that are queued already are still
 * sent.
 * @throws AppError `replay_not_found`, `replay_state`
 */
export async function changeReplay(
  tx: Tx,
  id: number,
  step: ReplayStep,
  reason?: string,
): Promise<Replay> {
  const row = await lockOwned(tx, Replay, "replay", { id });
  const { from, to, verb } = steps[step];
  if (!from.some((state) => state === row.state)) {
    throw new AppError("replay_state", {
      message: `This replay is ${row.state}; ${step} does not apply to it.`,
    });
  }
  const run = to === "running" ? row.run + 1 : row.run;
  const finishedAt = to === "cancelled" ? tx.now : null;
  const changed = { state: to, run, updatedAt: tx.now, finishedAt };
  await tx.manager.update(Replay, id, changed);
  Object.assign(row, changed);
  if (to === "running") await request(tx, replayCommand(row));
  await recordAudit(tx, audit(verb, id, { queued: row.queued, total: row.total, reason }));
  return row;
}

/** The command that starts the workflow of one run of a replay. */
export function replayCommand({
  id,
  accountId,
  run,
}: Pick<Replay, "id" | "accountId" | "run">): WorkflowCommand {
  return {
    op: "start",
    workflow: "replayDeliveries",
    workflowId: `replay-${id}-r${run}`,
    taskQueue: "ops",
    input: { accountId, replayId: id, run },
    summary: `replay ${id}`,
  };
}
