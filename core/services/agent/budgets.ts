import type { Tx } from "../../../db/transaction.ts";
import { localTimeOf, midnightOf, momentAt } from "../../agent/local-time.ts";
import type { AgentSettings } from "../../model/agent.ts";
import { getAccount } from "../accounts/accounts.ts";
import { lastToldAt, recordNotification } from "../notifications/notifications.ts";

/** Shares of a budget of which the admins are told, the highest first. */
const toldShares = [100, 80] as const;

/** A budget with its present period, in the account's time zone. */
export interface Budget {
  period: "day" | "month";
  /** The period in notifications: `2026-11-24`, `2026-11`. */
  name: string;
  from: Date;
  limitMicros: number | null;
  spentMicros: number;
}

/** The budgets of the day and of the month, with what was spent. */
export async function readBudgets(
  tx: Tx,
  { daily_budget_micros: daily, monthly_budget_micros: monthly }: Budgets,
): Promise<Budget[]> {
  const { timeZone } = await getAccount(tx);
  const { day } = localTimeOf(tx.now, timeZone);
  const month = day.slice(0, 7);
  const midnight = midnightOf(tx.now, timeZone);
  const first = momentAt(`${month}-01`, "00:00", timeZone) ?? midnight;
  const periods = [
    { period: "day", name: day, from: midnight, limitMicros: daily },
    { period: "month", name: month, from: first, limitMicros: monthly },
  ] as const;
  const budgets: Budget[] = [];
  for (const one of periods) {
    const isRead = one.limitMicros !== null;
    budgets.push({ ...one, spentMicros: isRead ? await sumCost(tx, one.from) : 0 });
  }
  return budgets;
}

/**
 * Tells the admins of a budget at 80 % and at 100 %, once each in its day or month.
 * @returns true where a budget is used up.
 */
export async function checkBudgets(tx: Tx, settings: Budgets): Promise<boolean> {
  if (settings.daily_budget_micros === null && settings.monthly_budget_micros === null) {
    return false;
  }
  let isSpent = false;
  for (const { period, name, limitMicros, spentMicros } of await readBudgets(tx, settings)) {
    if (limitMicros === null) continue;
    if (spentMicros >= limitMicros) isSpent = true;
    const share = toldShares.find((one) => spentMicros * 100 >= limitMicros * one);
    if (share !== undefined) await tell(tx, { period, name, share });
  }
  return isSpent;
}

type Budgets = Pick<AgentSettings, "daily_budget_micros" | "monthly_budget_micros">;

async function sumCost(tx: Tx, from: Date): Promise<number> {
  const [row] = await tx.manager.query<{ cost: string | null }[]>(
    `SELECT SUM(cost_micros) AS cost FROM agent_turns FORCE INDEX (agent_turns_time)
      WHERE account_id = ? AND created_at >= ?`,
    [tx.actor.accountId, from],
  );
  return Number(row?.cost ?? 0);
}

async function tell(
  tx: Tx,
  { period, name, share }: Pick<Budget, "period" | "name"> & { share: number },
): Promise<void> {
  const dedupeKey = `agent_budget:${name}:${share}`;
  // Each further step of the period comes here. A read waits for no other transaction.
  if ((await lastToldAt(tx, [dedupeKey])) !== null) return;
  await recordNotification(tx, {
    kind: "agent_budget",
    params: { period, share },
    dedupeKey,
    groupKey: "agent_budget",
    deliveryId: null,
    subscriptionId: null,
    adminsOnly: true,
  });
}
