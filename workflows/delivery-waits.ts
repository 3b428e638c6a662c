import { condition, continueAsNew, patched, sleep, workflowInfo } from "@temporalio/workflow";
import {
  waitSummary,
  type DeliverWebhookInput,
  type DeliverWebhookResult,
  type FailedAttempt,
} from "../core/model/workflow/delivery.ts";

type Run = (input: DeliverWebhookInput) => Promise<DeliverWebhookResult>;

/**
 * Lets a run that continues after a hold wait until the time of its attempt. @returns true for such
 * a run.
 */
export async function waitForStart(
  { notBefore, firstNumber, waitsMs }: DeliverWebhookInput,
  isAsked: () => boolean,
): Promise<boolean> {
  if (notBefore === undefined) return false;
  const waitMs = Math.max(1, Date.parse(notBefore) - Date.now());
  const summary = waitSummary(firstNumber - 1, waitsMs.length, waitMs);
  await condition(isAsked, waitMs, { summary });
  return true;
}

/**
 * Calls `done` after a wait. In a cancelled run the timer rejects; that is no error, and `done` is
 * not called.
 */
export function startTimer(waitMs: number, summary: string, done: () => void): void {
  sleep(waitMs, { summary }).then(done, () => undefined);
}

/**
 * Begins a new history once the history is long. In the last wait operators may retry without end,
 * and Temporal ends a run of 51,200 events. The next run begins with the rest of that wait.
 */
export async function beginAnewIfLong(
  { accountId, deliveryId, run, waitsMs, searchable }: DeliverWebhookInput,
  { seq, outcome }: { seq: number; outcome: FailedAttempt },
): Promise<void> {
  if (!workflowInfo().continueAsNewSuggested || !patched("anew-in-the-last-wait")) return;
  const place = { firstNumber: waitsMs.length, firstSeq: seq, attempted: outcome };
  await continueAsNew<Run>({ accountId, deliveryId, run, waitsMs, searchable, ...place });
}
