import { setImmediate, setTimeout as sleep } from "node:timers/promises";

/** Options of a batcher. */
interface BatchOptions {
  /** Maximum number of calls at once. Later items wait until a call ends. */
  atOnce: number;
  /** Maximum number of items in one call. */
  most: number;
  /**
   * Time for which the next call gathers items, in milliseconds. 0, the default: one turn of the
   * event loop.
   */
  gatherMs?: () => number;
}

/**
 * Turns many calls with one item each into few calls with many items. Items share a call if they
 * arrive in one turn of the loop, within `gatherMs`, or while `atOnce` calls run. An item whose
 * result is an Error fails alone. Where a whole call fails, each item is tried alone, so that one
 * item does not spoil the others.
 * @param run gives one result for each item, in their order.
 */
export function createBatcher<Item, Result>(
  run: (items: Item[]) => Promise<(Result | Error)[]>,
  { atOnce, most, gatherMs = () => 0 }: BatchOptions,
): (item: Item) => Promise<Result> {
  interface PendingItem {
    item: Item;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  }
  // Bounded by the callers, since each of them waits for its result.
  let waiting: PendingItem[] = [];
  let underWay = 0;
  let gathering = false;

  async function call(asked: PendingItem[]): Promise<void> {
    try {
      const results = await run(asked.map(({ item }) => item));
      for (const [index, { resolve, reject }] of asked.entries()) {
        const result = results[index];
        if (result === undefined) reject(new Error("A batch gave no result."));
        else if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (asked.length > 1) await Promise.all(asked.map((one) => call([one])));
      else for (const { reject } of asked) reject(error);
    }
  }

  async function work(): Promise<void> {
    underWay += 1;
    gathering = true;
    const ms = gatherMs();
    await (ms > 0 ? sleep(ms) : setImmediate());
    gathering = false;
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    flush();
    await call(batch);
    underWay -= 1;
    flush();
  }

  function flush(): void {
    if (waiting.length > 0 && !gathering && underWay < atOnce) void work();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      flush();
    });
}
