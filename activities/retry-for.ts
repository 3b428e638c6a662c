import { setTimeout as sleep } from "node:timers/promises";

/** With an attempt of 8 s it fits in its activity. */
const defaultMs = 8_000;

/**
 * Writes an outcome down, again and again for a while. What another party has answered must not be
 * lost to a moment without MySQL: it could not be asked again without doing the thing twice.
 * @param limitMs after which the activity gives up; less than it may take in all.
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
