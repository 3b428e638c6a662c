import { proxyActivities, proxyLocalActivities } from "@temporalio/workflow";
import type { Activities } from "../activities/index.ts";
import type { ReportedStatus } from "../core/model/message.ts";
import type { SendMessageInput, SendOutcome } from "../core/model/workflow/sending.ts";
import { inTaskFirst } from "./in-task.ts";

const bounds = {
  // The channel's answer may still be stored for 40 s.
  startToCloseTimeout: 60_000,
  // A cancelled run still gets the outcome of the hand-over in flight.
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
} as const;
const retry = { initialInterval: 500, maximumInterval: 10_000 };
const inThisTask = proxyLocalActivities<Activities>({
  ...bounds,
  retry: { ...retry, maximumAttempts: 2 },
});
const onTheQueue = proxyActivities<Activities>({ ...bounds, retry });

export const { endUnknownSend, cancelSend } = onTheQueue;

/** Gives the file of a message to its network, which may take minutes. */
export const { uploadToChannel: giveToNetwork } = proxyActivities<Activities>({
  // 120 s for the upload, and 40 s to store its outcome.
  startToCloseTimeout: 200_000,
  heartbeatTimeout: 20_000,
  cancellationType: "WAIT_CANCELLATION_COMPLETED",
  retry,
});

/**
 * Hands the message over inside the task that started the run, so it waits behind no other task.
 * After trouble of the channel it is an activity of its own, so that operators see it.
 */
export async function handOver(
  input: SendMessageInput,
  afterTrouble: boolean,
): Promise<SendOutcome> {
  const queued = async () => await onTheQueue.sendToChannel(input);
  if (input.inTask !== true || afterTrouble) return await queued();
  return await inTaskFirst(async () => await inThisTask.sendToChannel(input), queued);
}

/** Stores a report of the sandbox. */
export async function report(input: SendMessageInput & { status: ReportedStatus }): Promise<void> {
  const queued = async () => await onTheQueue.recordReport(input);
  if (input.inTask !== true) return await queued();
  await inTaskFirst(async () => await inThisTask.recordReport(input), queued);
}
