import { setTimeout as sleep } from "node:timers/promises";

/** For how long an outcome is worth writing down; with an attempt of 8 s it fits in its activity. */
const completionMs = 8_000;

/**
 * Writes an outcome down, again and again for a while. What another party has answered must not be
 * lost to a moment without MySQL: it could not be asked again without doing the thing twice.
 * @throws the last error after eight seconds.
 */
export async function keepTrying<T>(write: () => Promise<T>): Promise<T> {
  const end = performance.now() + completionMs;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(250);
    }
  }
}
