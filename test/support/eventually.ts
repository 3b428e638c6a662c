import { setTimeout as sleep } from "node:timers/promises";

/**
 * Waits until `look` answers without throwing. For what happens in another process or thread: the
 * test says what must come true, not how long that takes: on a busy machine with slow processors, long.
 * @throws the last error after `timeoutMs`.
 */
export async function eventually<T>(look: () => T | Promise<T>, timeoutMs = 30_000): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(25);
    }
  }
}
