import type { DeliveryStep } from "../core/services/deliveries/delivery-state.ts";

/** The place of a walk through the deliveries of a subscription. Temporal keeps it. */
export interface DeliveryWalk {
  /** Id behind which the walk goes on. */
  after: number;
  /** The walk has changed deliveries. */
  changed: boolean;
}

/** Part of a walk: the deliveries that it changed, and the place where it ended. */
interface WalkPart {
  changed: number;
  /** Undefined at the end. */
  walk?: DeliveryWalk | undefined;
}

/** Below the time limit of an activity, and of a shutdown. */
const partMs = 3_000;

/**
 * Walks through the deliveries of a subscription, one transaction after the other, for about 3 s. A
 * step has a bounded cost, and many steps may find only deliveries of other subscriptions. Such
 * steps would make a long history as activities of their own. A delivery may enter the states
 * behind a walk of several steps. So the last walk changes nothing, or has one step.
 * @param step changes up to `most` deliveries behind an id; the same id with no change ends the part
 * @param from place of an earlier part
 * @param most deliveries to change in this part
 */
export async function walkDeliveries(
  step: (after: number, most: number) => Promise<DeliveryStep>,
  from: DeliveryWalk = { after: 0, changed: false },
  most = Number.POSITIVE_INFINITY,
): Promise<WalkPart> {
  const endsAt = performance.now() + partMs;
  let walk = from;
  let total = 0;
  for (;;) {
    const { changed, next } = await step(walk.after, most - total);
    const isBlocked = changed === 0 && next === walk.after;
    total += changed;
    const hasChanged = walk.changed || changed > 0;
    if (next !== null) walk = { after: next, changed: hasChanged };
    else if (walk.after === 0 || !hasChanged) return { changed: total };
    else walk = { after: 0, changed: false };
    const isOver = total === most || performance.now() >= endsAt;
    if (isBlocked || isOver) return { changed: total, walk };
  }
}
