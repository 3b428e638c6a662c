import { finishedDeliveryStates } from "./workflow/delivery.ts";

/** States of a replay. A paused replay resumes where it stopped. */
export const replayStates = ["draft", "running", "paused", "cancelled", "completed"] as const;
export type ReplayState = (typeof replayStates)[number];

/** States of deliveries that a replay can send again. Held deliveries are resumed instead. */
export const replayableStates = finishedDeliveryStates;
export type ReplayableState = (typeof replayableStates)[number];

/** Default states of a replay: all deliveries that have not arrived. */
export const missedStates = ["discarded", "skipped"] as const satisfies ReplayableState[];

/**
 * Maximum number of deliveries that a replay queues in one batch, and in one second. The relay and
 * the workers of one machine handle about this many.
 */
export const replayBatchSize = 100;

/** Maximum number of the subscription's deliveries that a batch reads to find matching ones. */
export const replayBatchLooks = 10_000;

/** Maximum number of a subscription's newest deliveries that are read to count a replay. */
export const replayCountLooks = 500_000;

/** State of a replay after one of its batches. */
export interface ReplayBatch {
  done: boolean;
  state: ReplayState;
  queued: number;
  total: number;
}
