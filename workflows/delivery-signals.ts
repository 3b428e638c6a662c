import { defineSignal, patched, setHandler } from "@temporalio/workflow";

/**
 * Makes the next attempt now instead of after its wait. In the last wait, repeats the sixth
 * attempt.
 *
 * `attemptsMade` is the number of finished attempts of the run at the time of the request. The
 * signal asks for one attempt more than that. MySQL knows of an attempt's end before the run does,
 * so the run itself cannot count. An attempt that ends after the request answers it, and a repeated
 * signal is answered once. Without a number, as by hand in Temporal UI, the run's own count
 * applies.
 */
export const retryNow = defineSignal<[attemptsMade?: number]>("retryNow");
/** Ends the delivery as `cancelled`, unless it has ended already according to MySQL. */
export const cancel = defineSignal("cancel");

/** Requests that a run has yet to carry out. */
export interface PendingSignals {
  cancel: boolean;
  retry: () => boolean;
  any: () => boolean;
  /** Counts a finished attempt. `early`: the attempt was made before this listener was created. */
  attemptMade: (early: boolean) => void;
}

/**
 * A new run after a lost one counts from zero, but requests carry MySQL's count. A number far above
 * both is a typing error.
 */
const mostAhead = 100;

/** Listens to operators' signals. @param before attempts that the run had made by then */
export function listenToOperators(before: number): PendingSignals {
  let made = before;
  /** Number of finished attempts at the last retry request; -1 without a request. */
  let askedAfter = -1;
  let isUncounted = false;
  const asked: PendingSignals = {
    cancel: false,
    retry: () => askedAfter >= made,
    any: () => asked.cancel || asked.retry(),
    attemptMade: (early) => {
      const cameWithStart = early && isUncounted && asked.retry();
      made += 1;
      // An earlier attempt does not answer the request. Runs from before this patch counted it as
      // the answer.
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
