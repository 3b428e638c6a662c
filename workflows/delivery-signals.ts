import { defineSignal, patched, setHandler } from "@temporalio/workflow";

/**
 * Post the next attempt now instead of waiting for it; in the last wait, the sixth once more. It asks
 * for one more than `attemptsMade`, how many attempts of the run were over when it was asked for:
 * MySQL knows of an attempt's end before the run does. So an attempt that ends after it is the answer,
 * and told twice it is answered once. Without a number, as by hand in Temporal UI, those count that
 * the run knows of.
 */
export const retryNow = defineSignal<[attemptsMade?: number]>("retryNow");
/** End the delivery as `cancelled`, unless MySQL says that it has ended already. */
export const cancel = defineSignal("cancel");

/** What a run was asked for and has yet to do. */
export interface PendingSignals {
  cancel: boolean;
  retry: () => boolean;
  any: () => boolean;
  /** One more attempt is over; `early`: it was made before this began to hear. */
  attemptMade: (early: boolean) => void;
}

/** A run that Temporal lost counts anew, and is asked by MySQL's count; what is far from both is a typing error. */
const mostAhead = 100;

/** Hears what operators ask for from now on. @param before attempts that the run had made by then */
export function listenToOperators(before: number): PendingSignals {
  let made = before;
  /** How many attempts were over when a retry was last asked for; -1: none was. */
  let askedAfter = -1;
  let isUncounted = false;
  const asked: PendingSignals = {
    cancel: false,
    retry: () => askedAfter >= made,
    any: () => asked.cancel || asked.retry(),
    attemptMade: (early) => {
      const cameWithStart = early && isUncounted && asked.retry();
      made += 1;
      // What was made before is no answer to it. Runs from before this patch took it for one.
      if (cameWithStart && patched("retry-with-the-start")) askedAfter = made;
    },
  };
  setHandler(retryNow, (attemptsMade?: unknown) => {
    const isCount =
      Number.isInteger(attemptsMade) &&
      Number(attemptsMade) >= 0 &&
      Number(attemptsMade) <= made + mostAhead;
    isUncounted ||= !isCount;
    askedAfter = Math.max(askedAfter, isCount ? Number(attemptsMade) : made);
  });
  setHandler(cancel, () => void (asked.cancel = true));
  return asked;
}
