import { Subscription } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordSubscriptionChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";

/** States that a subscription can be given and left in; the deletion is for good. */
type GivenState = "active" | "paused" | "disabled";

/** Who or what disabled a subscription, as `disabled_reason` keeps it. */
export type DisabledReason = "disabled_by_admin" | "receiver_gone" | "only_failures";

const verbs = { active: "resumed", paused: "paused", disabled: "disabled" } as const;

/**
 * Gives a locked subscription another state: no attempt starts later than a second after it is no
 * longer active, and a workflow holds its open deliveries, or lets the held ones go on.
 * @param row it is changed in place.
 * @param why a person's words, for the audit log.
 */
export async function changeSubscriptionState(
  tx: Tx,
  row: Subscription,
  state: GivenState,
  {
    why,
    disabledReason = null,
  }: { why?: string | undefined; disabledReason?: DisabledReason | null },
): Promise<void> {
  if (row.state === state) return;
  const before = row.state;
  const version = row.version + 1;
  const changed = { state, stateVersion: version, disabledReason, updatedAt: tx.now, version };
  await tx.manager.update(Subscription, row.id, changed);
  Object.assign(row, changed);
  if (state === "active") await forgetFailures(tx, row.id);
  await requestFollowUp(tx, row);
  const action = `subscription.${verbs[state]}`;
  const details = { before, reason: why ?? disabledReason ?? undefined };
  await recordAudit(tx, { action, targetType: "subscription", targetId: row.id, details });
  await recordSubscriptionChange(tx, row.id);
}

/** Forgets the failures of a receiver that has taken an event, or is another one, or gets another chance. */
export async function forgetFailures(tx: Tx, subscriptionId: number): Promise<void> {
  await tx.manager.query("DELETE FROM subscription_health WHERE subscription_id = ?", [
    subscriptionId,
  ]);
}

const followUps = {
  active: { verb: "resume", workflow: "resumeDeliveries" },
  paused: { verb: "hold", workflow: "holdDeliveries" },
  disabled: { verb: "hold", workflow: "holdDeliveries" },
  deleted: { verb: "cancel", workflow: "cancelDeliveries" },
} as const;

/** A subscription with its state; the version that it came with tells the runs of one apart. */
export type FollowedUp = Pick<Subscription, "id" | "accountId" | "state" | "stateVersion">;

/** Workflow id of the run that brings a subscription's deliveries to its state. */
export function followUpId({ id, state, stateVersion }: Omit<FollowedUp, "accountId">): string {
  return `${followUps[state].verb}-deliveries-subscription-${id}-v${stateVersion}`;
}

/**
 * Asks for the run that brings a subscription's deliveries to its state.
 * @param again set where that run was lost, or ended too early
 */
export async function requestFollowUp(
  tx: Tx,
  row: FollowedUp,
  again: Pick<WorkflowCommand, "again"> = {},
): Promise<void> {
  const { verb, workflow } = followUps[row.state];
  await request(tx, {
    op: "start",
    workflow,
    workflowId: followUpId(row),
    ...again,
    taskQueue: "ops",
    input: { accountId: row.accountId, subscriptionId: row.id },
    summary: `${verb} the deliveries of subscription ${row.id}`,
  });
}
