import { isCancellation } from "@temporalio/workflow";

/**
 * Runs a step inside the current workflow task, the cheapest way in Temporal. After an error of ours
 * the step goes to the queue, where it holds no slot while it waits.
 * @param inTask the step as a local activity with few tries
 * @param onTheQueue the same step as an activity that is retried without limit
 */
export async function inTaskFirst<T>(
  inTask: () => Promise<T>,
  onTheQueue: () => Promise<T>,
): Promise<T> {
  try {
    return await inTask();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return await onTheQueue();
  }
}
