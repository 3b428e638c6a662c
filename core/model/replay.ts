import { finishedDeliveryStates } from "./workflow/delivery.ts";

/** States of a replay. A paused one goes on where it stopped. */
export const replayStates = ["draft", "running", "paused", "cancelled", "completed"] as const;
export type ReplayState = (typeof replayStates)[number];

/** States of deliveries that a replay can send again; what is held is resumed instead. */
export const replayableStates = finishedDeliveryStates;
export type ReplayableState = (typeof replayableStates)[number];

/** What a replay covers where no states are named: everything that has not arrived. */
export const missedStates = ["discarded", "skipped"] as const satisfies ReplayableState[];

/**
 * How many deliveries a replay queues at once, and in a second at most: about what the relay and the
 * workers of one machine get through (our choice).
 */
export const replayBatchSize = 100;

/** How many deliveries of the subscription a batch looks at to find them (our choice). */
export const replayBatchLooks = 10_000;

/** How many of a subscription's deliveries are looked at to count, the newest ones (our choice). */
export const replayCountLooks = 500_000;

/** How a replay stands after one of its batches. */
export interface ReplayBatch {
  done: boolean;
  state: ReplayState;
  queued: number;
  total: number;
}
