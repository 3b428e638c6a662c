import { Subscription } from "../../db/entities/subscription.ts";
import type { Tx } from "../../db/transaction.ts";
import { recordAudit } from "./audit.ts";
import { recordSubscriptionChange } from "./changes.ts";
import { request } from "./outbox.ts";

/** States that a subscription can be given and left in; the deletion is for good. */
type GivenState = "active" | "paused" | "disabled";

/** Who or what disabled a subscription, as `disabled_reason` keeps it. */
export type DisabledReason = "disabled_by_admin" | "receiver_gone" | "only_failures";

/** What a receiver did before somebody gave it another chance does not count. */
const forgetFailures = "DELETE FROM subscription_health WHERE subscription_id = ?";

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
  const changed = { state, disabledReason, updatedAt: tx.now, version: row.version + 1 };
  await tx.manager.update(Subscription, row.id, changed);
  Object.assign(row, changed);
  if (state === "active") await tx.manager.query(forgetFailures, [row.id]);
  await requestFollowUp(tx, row, state === "active");
  const action = `subscription.${verbs[state]}`;
  const details = { before, reason: why ?? disabledReason ?? undefined };
  await recordAudit(tx, { action, targetType: "subscription", targetId: row.id, details });
  await recordSubscriptionChange(tx, row.id);
}

/** The version tells the runs of one subscription apart. */
async function requestFollowUp(
  tx: Tx,
  { id, accountId, version }: Subscription,
  isActive: boolean,
): Promise<void> {
  const verb = isActive ? "resume" : "hold";
  await request(tx, {
    op: "start",
    workflow: isActive ? "resumeDeliveries" : "holdDeliveries",
    workflowId: `${verb}-deliveries-subscription-${id}-v${version}`,
    taskQueue: "ops",
    input: { accountId, subscriptionId: id },
    summary: `${verb} the deliveries of subscription ${id}`,
  });
}
