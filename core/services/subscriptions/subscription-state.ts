import { Subscription } from "../../../db/entities/subscription.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { WorkflowCommand } from "../../model/workflow/workflow-command.ts";
import { recordAudit } from "../accounts/audit.ts";
import { recordSubscriptionChange } from "../outbox/changes.ts";
import { request } from "../outbox/outbox.ts";

/** States that a caller can set and leave. A deletion is final. */
type GivenState = "active" | "paused" | "disabled";

/** Reasons for a disabled subscription, as `disabled_reason` keeps them. */
export type DisabledReason = "disabled_by_admin" | "receiver_gone" | "only_failures";

const verbs = { active: "resumed", paused: "paused", disabled: "disabled" } as const;

/**
 * Sets another state of a locked subscription. No attempt starts later than a second after the
 * subscription is no longer active. A workflow then holds its open deliveries, or resumes its held
 * ones (rule C57).
 * @param row changed in place.
 * @param why a person's reason, for the audit log.
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

/**
 * Deletes the failures of a receiver: after a success, after a change of the URL, or when its
 * subscription becomes active again.
 */
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

/** A subscription with its state. The version of the state distinguishes the runs of one state. */
export type FollowedUp = Pick<Subscription, "id" | "accountId" | "state" | "stateVersion">;

/** Workflow id of the run that applies a subscription's state to its deliveries. */
export function followUpId({ id, state, stateVersion }: Omit<FollowedUp, "accountId">): string {
  return `${followUps[state].verb}-deliveries-subscription-${id}-v${stateVersion}`;
}

/**
 * Requests the run that applies a subscription's state to its deliveries.
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
