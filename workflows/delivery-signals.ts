import { defineSignal, patched, setHandler } from "@temporalio/workflow";

/**
 * Post the next attempt now instead of waiting for it; in the last wait, the sixth once more. Asked
 * for while an attempt runs, that attempt is the answer. Who says how many attempts were over when it
 * was asked for is understood although MySQL knows of an attempt's end before the run does, and is
 * answered once however often it is told.
 */
export const retryNow = defineSignal<[attemptsMade?: number]>("retryNow");
/** End the delivery as `cancelled`, unless MySQL says that it has ended already. */
export const cancel = defineSignal("cancel");

/** What a run was asked for and has yet to do. */
export interface Asked {
  cancel: boolean;
  retry: () => boolean;
  any: () => boolean;
  /** One more attempt is over; `byRelay`: it was made before the run began. */
  attemptMade: (byRelay: boolean) => void;
}

/** Hears what operators ask for from now on. */
export function listenToOperators(): Asked {
  let made = 0;
  let retryAfter = -1;
  const asked: Asked = {
    cancel: false,
    retry: () => retryAfter >= made,
    any: () => asked.cancel || asked.retry(),
    attemptMade: (byRelay) => {
      const wasAsked = asked.retry();
      made += 1;
      // Asked for with the start, it is not answered by what was made before. Older runs took it so.
      const isUnanswered = byRelay && wasAsked && !asked.retry();
      if (isUnanswered && patched("retry-with-the-start")) retryAfter = made;
    },
  };
  setHandler(retryNow, (attemptsMade = made) => {
    retryAfter = Math.max(retryAfter, attemptsMade);
  });
  setHandler(cancel, () => void (asked.cancel = true));
  return asked;
}
