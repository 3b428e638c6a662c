import { AgentProvider } from "../../../db/entities/agent.ts";
import type { Tx } from "../../../db/transaction.ts";
import type { StepFailure } from "../../agent/step.ts";
import { minuteMs } from "../../model/durations.ts";
import { recordNotification } from "../notifications/notifications.ts";
import { recordChange } from "../outbox/changes.ts";
import { lockOwnedIfThere } from "../sql.ts";

/** Time for which a provider that fails is not asked. */
const failingMs = 5 * minuteMs;
/** Failures that only an admin can end: HTTP 401 and 403, and a quota that is used up. */
const forAdmins: readonly StepFailure[] = ["refused", "quota"];

/**
 * Leaves a provider out for five minutes. The admins get one notification until the provider has
 * answered again, however often and by however many turns it is tried.
 */
export async function recordProviderFailure(
  tx: Tx,
  { id, accountId }: AgentProvider,
  failure: StepFailure,
): Promise<void> {
  await tx.manager.query(
    `UPDATE agent_providers SET failing_until = ?, failure = ?,
            failing_since = COALESCE(failing_since, ?)
      WHERE account_id = ? AND id = ?`,
    [new Date(tx.now.getTime() + failingMs), failure, tx.now, accountId, id],
  );
  await recordChange(tx, { kind: "agent.updated" });
  if (!forAdmins.includes(failure)) return;
  const row = await lockOwnedIfThere(tx, AgentProvider, { id });
  if (row === null) return;
  await recordNotification(tx, {
    kind: "agent_provider_failing",
    params: { provider: row.kind, model: row.model, failure },
    dedupeKey: `agent_provider_failing:${id}:${row.failingSince?.getTime()}`,
    groupKey: `agent_provider:${id}`,
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}

/** Notes that a provider which failed has answered. A later failure is news again. */
export async function recordProviderAnswer(
  tx: Tx,
  { id, accountId, failingSince }: AgentProvider,
): Promise<void> {
  if (failingSince === null) return;
  const serving = { failingUntil: null, failingSince: null, failure: null };
  // Not the failures that began while this answer was under way.
  const { affected } = await tx.manager.update(
    AgentProvider,
    { id, accountId, failingSince },
    serving,
  );
  if (affected !== 0) await recordChange(tx, { kind: "agent.updated" });
}
