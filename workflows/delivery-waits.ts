import { condition, sleep } from "@temporalio/workflow";
import { waitSummary, type DeliverWebhookInput } from "../core/model/delivery.ts";

/** Lets a run that goes on after a hold keep the moment of its attempt. @returns whether it is such a run. */
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

/** Calls `done` after a wait. A cancelled run has nobody left to tell: its timer's rejection is no fault. */
export function startTimer(waitMs: number, summary: string, done: () => void): void {
  sleep(waitMs, { summary }).then(done, () => undefined);
}
