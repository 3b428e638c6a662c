import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBell, type Bell, type SeenPartition } from "../../../worker/engine/bell.ts";

const never = new AbortController().signal;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function greetedBell(): Bell {
  const bell = createBell(() => Date.now());
  bell.greet();
  return bell;
}

/** Waits for a pause. @returns a function that tells its duration in ms, or null while it lasts */
function startPause(bell: Bell, limits: Parameters<Bell["pause"]>[0], stopping = never) {
  const beganAt = Date.now();
  let endedAfter: number | null = null;
  void bell.pause(limits, stopping).then(() => (endedAfter = Date.now() - beganAt));
  return () => endedAfter;
}

/** A whole look, which takes no time. */
function look(bell: Bell, partitions: SeenPartition[]): void {
  bell.beginLook();
  bell.recordFound(partitions);
}

/** A row that became due at a time of the fake clock. */
const dueAt = (at: number, key = "1:host") => ({ key, ageMs: Date.now() - at });

test("without a ring a pause lasts as long as it may", async () => {
  const ended = startPause(greetedBell(), { mostMs: 500, ringAfterMs: 1 });
  await vi.advanceTimersByTimeAsync(499);
  expect(ended()).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended()).toBe(500);
});

test("a ring ends a pause at once", async () => {
  const bell = greetedBell();
  const ended = startPause(bell, { mostMs: 500, ringAfterMs: 1 });
  await vi.advanceTimersByTimeAsync(200);
  bell.ring(0);
  await vi.advanceTimersByTimeAsync(0);
  expect(ended()).toBe(200);
});

test("a ring during a look leads to one more look, after the rest", async () => {
  const bell = greetedBell();
  bell.ring(0);
  expect(bell.beginLook()).toBe("ring");
  bell.ring(0);
  bell.ring(0);
  const ended = startPause(bell, { mostMs: 500, ringAfterMs: 5 });
  await vi.advanceTimersByTimeAsync(10);
  expect(ended()).toBe(5);
  expect(bell.beginLook()).toBe("ring");
  expect(bell.beginLook()).toBe("poll");
});

test("a ring of a higher rank ends a pause later, and an earlier one wins", async () => {
  const bell = greetedBell();
  const ended = startPause(bell, { mostMs: 500, ringAfterMs: 1 });
  bell.ring(20);
  await vi.advanceTimersByTimeAsync(5);
  expect(ended()).toBeNull();
  bell.ring(10);
  await vi.advanceTimersByTimeAsync(20);
  expect(ended()).toBe(15);
});

test("where Temporal is the limit, a ring waits for the poll", async () => {
  const bell = greetedBell();
  const ended = startPause(bell, { mostMs: 100, ringAfterMs: null });
  bell.ring(0);
  await vi.advanceTimersByTimeAsync(100);
  expect(ended()).toBe(100);
  expect(bell.beginLook()).toBe("ring");
});

test("a stop ends a pause at once, before it and within it", async () => {
  const stopping = new AbortController();
  const ended = startPause(greetedBell(), { mostMs: 500, ringAfterMs: 1 }, stopping.signal);
  await vi.advanceTimersByTimeAsync(30);
  stopping.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(ended()).toBe(30);
  const again = startPause(greetedBell(), { mostMs: 500, ringAfterMs: 1 }, stopping.signal);
  await vi.advanceTimersByTimeAsync(0);
  expect(again()).toBe(0);
});

test("a bell is relied on from the first greeting on, until 15 s after the last", () => {
  const bell = createBell(() => Date.now());
  expect(bell.isReliable()).toBe(false);
  bell.ring(0);
  expect(bell.isReliable()).toBe(false);
  bell.greet();
  vi.advanceTimersByTime(14_999);
  expect(bell.isReliable()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(bell.isReliable()).toBe(false);
});

test("rows that a ring announced, before or soon after, leave the bell reliable", () => {
  const bell = greetedBell();
  vi.advanceTimersByTime(10);
  bell.ring(0);
  look(bell, [dueAt(Date.now())]);
  expect(bell.isReliable()).toBe(true);
  vi.advanceTimersByTime(100);
  look(bell, [dueAt(Date.now())]);
  expect(bell.isReliable()).toBe(false);
  vi.advanceTimersByTime(100);
  bell.ring(0);
  expect(bell.isReliable()).toBe(true);
  vi.advanceTimersByTime(600);
  look(bell, []);
  expect(bell.isReliable()).toBe(true);
});

/** A poll finds a row, and no ring comes. */
function loseRing(bell: Bell): void {
  vi.advanceTimersByTime(10);
  look(bell, [dueAt(Date.now() - 5)]);
  vi.advanceTimersByTime(500);
  bell.greet();
  look(bell, []);
}

/** Time in ms until the bell is relied on again. */
function doubtOf(bell: Bell): number {
  const beganAt = Date.now();
  while (!bell.isReliable()) {
    vi.advanceTimersByTime(1_000);
    bell.greet();
  }
  return Date.now() - beganAt;
}

test("a row without a ring puts the bell in doubt for a minute, then twice as long each time", () => {
  const bell = greetedBell();
  const doubts = Array.from({ length: 8 }, () => {
    loseRing(bell);
    return doubtOf(bell) / 60_000;
  });
  expect(doubts).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

test("after an hour without another lost ring a doubt is short again", () => {
  const bell = greetedBell();
  loseRing(bell);
  expect(doubtOf(bell)).toBe(60_000);
  vi.advanceTimersByTime(3_600_000);
  bell.greet();
  loseRing(bell);
  expect(doubtOf(bell)).toBe(60_000);
});

test("rows that wait for their time, and rows from before the start, need no ring", () => {
  const bell = greetedBell();
  look(bell, [dueAt(Date.now() - 3_000), dueAt(Date.now() + 250, "1:other")]);
  expect(bell.isReliable()).toBe(true);
  vi.advanceTimersByTime(252);
  const due = dueAt(Date.now() - 3, "1:other");
  look(bell, [due]);
  expect(bell.isReliable()).toBe(true);
  vi.advanceTimersByTime(2_000);
  look(bell, [{ ...due, ageMs: due.ageMs + 2_000 }]);
  expect(bell.isReliable()).toBe(true);
});

test("a slow look does not make an announced row look silent", () => {
  const bell = greetedBell();
  vi.advanceTimersByTime(10);
  const dueSince = Date.now();
  vi.advanceTimersByTime(3);
  bell.ring(0);
  bell.beginLook();
  // The database reads the age at once, and the answer takes a while.
  const found = dueAt(dueSince);
  vi.advanceTimersByTime(80);
  bell.recordFound([found]);
  expect(bell.isReliable()).toBe(true);
});

test("rows that came before the first greeting cast no doubt on the rings after it", () => {
  const bell = createBell(() => Date.now());
  vi.advanceTimersByTime(100);
  const dueSince = Date.now();
  look(bell, [dueAt(dueSince)]);
  vi.advanceTimersByTime(1_000);
  look(bell, [dueAt(dueSince)]);
  bell.greet();
  look(bell, [dueAt(dueSince)]);
  expect(bell.isReliable()).toBe(true);
});
