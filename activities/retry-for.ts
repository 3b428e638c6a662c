import { setTimeout as sleep } from "node:timers/promises";

/** Fits into the activity together with an attempt of 8 s. */
const defaultMs = 8_000;

/**
 * Repeats a write for a while. The answer of another party must not be lost while MySQL is briefly
 * unreachable. A second call could repeat its effect.
 * @param limitMs time after which the activity gives up; shorter than the timeout of the activity.
 * @throws the last error.
 */
export async function retryFor<T>(write: () => Promise<T>, limitMs = defaultMs): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(250);
    }
  }
}
