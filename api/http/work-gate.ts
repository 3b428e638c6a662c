import { rateLimited } from "./rate-limit.ts";

/** Limits costly work per key: a few calls run at once, a few more wait. */
export interface WorkGate {
  /** @throws AppError `rate_limited` if too many calls wait for the same key */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

const retryAfterSeconds = 2;

/** @param limits for each key. */
export function createWorkGate(limits: { atOnce: number; waiting: number }): WorkGate {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>();
  return {
    async run(key, work) {
      const queue = queues.get(key) ?? { running: 0, waiting: [] };
      queues.set(key, queue);
      if (queue.running >= limits.atOnce) {
        if (queue.waiting.length >= limits.waiting) throw rateLimited(retryAfterSeconds);
        await new Promise<void>((resolve) => queue.waiting.push(resolve));
      } else {
        queue.running += 1;
      }
      try {
        return await work();
      } finally {
        const next = queue.waiting.shift();
        // The next call in the queue takes over.
        if (next !== undefined) next();
        else queue.running -= 1;
        if (queue.running === 0) queues.delete(key);
      }
    },
  };
}
