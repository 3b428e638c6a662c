import { expect, test } from "vitest";
import { createHostLimiter, type HostLimiter } from "../../../activities/limits/host-limiter.ts";

const answered = { reached: true, durationMs: 20, ip: null };
const slow = { id: 7, maxConcurrency: 2 };
const other = { id: 8, maxConcurrency: null };

function clock() {
  let at = 1_000_000;
  return { now: () => at, pass: (ms: number) => void (at += ms) };
}

/** A limiter whose host `a` takes ten attempts at once. */
function limiterOf(now?: () => number): HostLimiter {
  const limiter = createHostLimiter(now === undefined ? {} : { now });
  for (let n = 0; n < 9; n += 1) {
    limiter.acquire("warm:1", "a");
    limiter.release("warm:1", answered);
  }
  expect(limiter.available("a")).toBe(10);
  return limiter;
}

/** Takes slots until none is left. @returns the runs that got one */
function takeAll(limiter: HostLimiter, subscription: typeof slow | typeof other): string[] {
  const runs: string[] = [];
  for (let n = 0; n < 100; n += 1) {
    const run = `${subscription.id}-${n}:1`;
    if (limiter.acquire(run, "a", subscription)) runs.push(run);
  }
  return runs;
}

test("a subscription takes no more than its own limit, and leaves the host's others to the rest", () => {
  const limiter = limiterOf();
  expect(takeAll(limiter, slow)).toHaveLength(2);
  expect([limiter.available("a"), limiter.available("a", 7)]).toEqual([8, 0]);
  expect(takeAll(limiter, other)).toHaveLength(8);
  expect(limiter.available("a")).toBe(0);
  limiter.release("7-0:1", answered);
  expect(limiter.availableOf(slow)).toBe(1);
});

test("its limit counts toward all of its hosts together", () => {
  const limiter = limiterOf();
  expect(limiter.acquire("1:1", "a", slow)).toBe(true);
  expect(limiter.acquire("2:1", "b", slow)).toBe(true);
  expect(limiter.acquire("3:1", "c", slow)).toBe(false);
  expect(limiter.acquire("3:1", "c", other)).toBe(true);
});

test("a limit above that of the host changes nothing", () => {
  const limiter = limiterOf();
  expect(takeAll(limiter, { id: 7, maxConcurrency: 300 })).toHaveLength(10);
});

test("a subscription whose limit is not known yet begins with one attempt", () => {
  const limiter = limiterOf();
  expect([limiter.available("a", 7), limiter.available("a", null)]).toEqual([1, 10]);
  expect(limiter.availableOf(slow)).toBe(2);
  expect(limiter.available("a", 7)).toBe(2);
});

test("attempts in flight count when a subscription gets its limit", () => {
  const limiter = limiterOf();
  const runs = takeAll(limiter, { id: 7, maxConcurrency: null });
  expect(runs).toHaveLength(10);
  expect(limiter.availableOf(slow)).toBe(0);
  for (const run of runs.slice(0, 8)) limiter.release(run, answered);
  expect(limiter.acquire("new:1", "a", slow)).toBe(false);
  limiter.release(String(runs[8]), answered);
  expect(limiter.acquire("new:1", "a", slow)).toBe(true);
  expect(limiter.acquire("newer:1", "a", slow)).toBe(false);
});

test("a limit that is lowered takes the slots of runs that have yet to begin", () => {
  const limiter = limiterOf();
  for (let n = 0; n < 5; n += 1) limiter.reserve(`${n}:1`, "a", { id: 7, maxConcurrency: 5 });
  const begun = [0, 1, 2, 3, 4].filter((n) => limiter.acquire(`${n}:1`, "a", slow));
  expect(begun).toHaveLength(2);
  expect(limiter.available("a")).toBe(8);
});

test("a run does not start beyond the limit of its subscription, as it is now", () => {
  const limiter = limiterOf();
  const started = [1, 2, 3].map((n) => limiter.reserve(`${n}:1`, "a", slow));
  expect(started).toEqual([true, true, false]);
  expect(limiter.reserve("3:1", "a", { id: 7, maxConcurrency: 3 })).toBe(true);
  expect(limiter.reserve("4:1", "a", { id: 8, maxConcurrency: null })).toBe(true);
  expect(limiter.available("a")).toBe(6);
});

test("a limit that is raised or taken away counts at once", () => {
  const limiter = limiterOf();
  expect(takeAll(limiter, slow)).toHaveLength(2);
  expect(limiter.availableOf({ id: 7, maxConcurrency: 3 })).toBe(1);
  expect(limiter.availableOf({ id: 7, maxConcurrency: null })).toBe(Infinity);
  expect(limiter.acquire("more:1", "a", { id: 7, maxConcurrency: null })).toBe(true);
});

test("a run that never begins gives its place back after 15 s", () => {
  const { now, pass } = clock();
  const limiter = limiterOf(now);
  limiter.reserve("1:1", "a", slow);
  limiter.reserve("2:1", "a", slow);
  expect(limiter.availableOf(slow)).toBe(0);
  pass(15_000);
  expect(limiter.availableOf(slow)).toBe(2);
});

test("attempts beyond the limit come back one after the other, and the host's others do not wait for them", () => {
  const { now, pass } = clock();
  const limiter = limiterOf(now);
  takeAll(limiter, slow);
  const delays = Array.from({ length: 100 }, () => limiter.retryDelayMs("a", 7));
  expect(delays[0]).toBe(250);
  // About 100 ms for each attempt by now, two at once.
  expect(delays.at(-1)).toBeGreaterThan(3_000);
  expect(delays.at(-1)).toBeLessThan(10_000);
  expect(limiter.retryDelayMs("a", 8)).toBe(250);
  // With a free slot it is the host that books.
  limiter.release("7-0:1", answered);
  pass(10_000);
  expect(limiter.retryDelayMs("a", 7)).toBe(250);
});

test("a subscription at its limit tells nothing of our own backlog while its receiver takes the time", () => {
  const { now, pass } = clock();
  const limiter = createHostLimiter({ now });
  for (let n = 0; n < 40; n += 1) {
    limiter.acquire("1:1", "a", { id: 7, maxConcurrency: 1 });
    pass(500);
    limiter.release("1:1", { reached: true, durationMs: 499, ip: null });
  }
  expect(limiter.unsaturatedMs("a", 7)).toBe(0);
  pass(30);
  expect(limiter.unsaturatedMs("a", 7)).toBe(30);
  expect(limiter.unsaturatedMs("a")).toBeGreaterThan(1_000);
});
