import type { Tx } from "../../../db/transaction.ts";
import type { HandoffTimes } from "../../model/workflow/handoff.ts";
import { getAccountSettings } from "../accounts/accounts.ts";
import { hourMs, minuteMs } from "../../model/durations.ts";

/** The times of a handoff, as the account has set them. */
export async function getHandoffTimes(tx: Tx): Promise<HandoffTimes> {
  const settings = await getAccountSettings(tx);
  const hours = settings.handoff_return_hours;
  return {
    remindMs: settings.handoff_remind_minutes * minuteMs,
    escalateMs: settings.handoff_escalate_minutes * minuteMs,
    returnMs: hours === null ? null : hours * hourMs,
  };
}
