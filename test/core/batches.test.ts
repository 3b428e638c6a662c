import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBatcher } from "../../core/batches.ts";

test("what is asked for in one turn goes together, in its order, in calls of no more than `most`", async () => {
  const calls: number[][] = [];
  const double = createBatcher(
    async (items: number[]) => {
      calls.push(items);
      return await Promise.resolve(items.map((item) => item * 2));
    },
    { atOnce: 1, most: 3 },
  );
  expect(await Promise.all([1, 2, 3, 4, 5].map(double))).toEqual([2, 4, 6, 8, 10]);
  expect(calls).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test("no more than `atOnce` calls are under way, and what comes meanwhile goes with the next", async () => {
  const calls: { items: number[]; end: () => void }[] = [];
  const ask = createBatcher(
    (items: number[]) =>
      new Promise<number[]>((resolve) => calls.push({ items, end: () => resolve(items) })),
    { atOnce: 2, most: 10 },
  );
  // After what was asked for before it: a timer may come before that.
  const turn = async () => await setImmediate();
  const answers = [ask(1)];
  await turn();
  answers.push(ask(2));
  await turn();
  answers.push(ask(3), ask(4));
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2]]);
  calls[0]?.end();
  // The one in which the call ends, and the one that the next waits for.
  await turn();
  await turn();
  expect(calls.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
  for (const { end } of calls) end();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4]);
});

test("what is asked for within `gatherMs` goes together, also what comes during a call", async () => {
  const calls: number[][] = [];
  const during: Promise<number>[] = [];
  const ask = createBatcher(
    async (items: number[]) => {
      calls.push(items);
      if (during.length === 0) during.push(ask(3));
      return await Promise.resolve(items);
    },
    { atOnce: 1, most: 10, gatherMs: () => 500 },
  );
  const first = ask(1);
  await setImmediate();
  expect(await Promise.all([first, ask(2)])).toEqual([1, 2]);
  expect(await Promise.all([...during, ask(4)])).toEqual([3, 4]);
  expect(calls).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("an item fails alone, whether its result is an error or the whole call throws", async () => {
  const ask = createBatcher(
    async (items: string[]) => {
      if (items.includes("poison")) throw new Error("the call");
      return await Promise.resolve(
        items.map((item) => (item === "bad" ? new Error("the item") : item)),
      );
    },
    { atOnce: 1, most: 10 },
  );
  const told = async (items: string[]) =>
    (await Promise.allSettled(items.map(ask))).map((one) =>
      one.status === "fulfilled" ? one.value : (one.reason as Error).message,
    );
  expect(await told(["a", "bad", "b"])).toEqual(["a", "the item", "b"]);
  expect(await told(["a", "poison", "b"])).toEqual(["a", "the call", "b"]);
});
