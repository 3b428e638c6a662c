import { expect, test } from "vitest";
import { createReceiverSlots } from "../../activities/receiver-slots.ts";

const answered = { reached: true, durationMs: 20 };
const silent = { reached: false, durationMs: 8_000 };

function clock() {
  let at = 1_000_000;
  return { now: () => at, pass: (ms: number) => void (at += ms) };
}

test("a host has ten slots at first; a run that was started here brings its own", () => {
  const slots = createReceiverSlots();
  expect(slots.room("a")).toBe(10);
  slots.reserve("1:1", "a");
  expect(slots.room("a")).toBe(9);
  expect(slots.enter("1:1", "a")).toBe(true);
  // Asked again, as a repeated transaction does, it is the same slot.
  expect(slots.enter("1:1", "a")).toBe(true);
  expect(slots.room("a")).toBe(9);
  for (let n = 2; n <= 10; n += 1) expect(slots.enter(`${n}:1`, "a")).toBe(true);
  expect(slots.enter("11:1", "a")).toBe(false);
  expect(slots.enter("11:1", "b")).toBe(true);
  slots.leave("3:1", null);
  expect(slots.enter("11:1", "a")).toBe(true);
  expect(slots.room("b")).toBe(10);
});

test("answers make a cap grow to 50, and one trouble halves it once, down to 2", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  const run = (answer: typeof answered) => {
    slots.enter("1:1", "a");
    slots.leave("1:1", answer);
  };
  for (let n = 0; n < 5_000; n += 1) run(answered);
  expect(slots.room("a")).toBe(50);
  run(silent);
  run(silent);
  expect(slots.room("a")).toBe(25);
  for (let n = 0; n < 10; n += 1) {
    pass(1_000);
    run(silent);
  }
  expect(slots.room("a")).toBe(2);
  run(answered);
  run(answered);
  expect(slots.room("a")).toBe(2);
  for (let n = 0; n < 20; n += 1) run(answered);
  expect(slots.room("a")).toBeGreaterThan(4);
});

test("no more than 64 runs wait for their first attempt, whatever hosts they go to", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  for (let n = 0; n < 64; n += 1) slots.reserve(`${n}:1`, `host${n}`);
  expect(slots.room("another")).toBe(0);
  slots.enter("5:1", "host5");
  expect(slots.room("another")).toBe(1);
  // Those that never begin here are forgotten, and hold no slot any more.
  pass(15_000);
  expect(slots.room("another")).toBe(10);
  expect(slots.room("host6")).toBe(10);
  expect(slots.room("host5")).toBe(9);
});

test("attempts that find no slot come back one after the other, as fast as the host has shown", () => {
  const { now } = clock();
  const slots = createReceiverSlots(now);
  const delays = Array.from({ length: 1_000 }, () => slots.delayMs("a"));
  expect(delays[0]).toBe(250);
  // 200 ms for each attempt, ten at once.
  expect(delays.at(-1)).toBe(20_000);
  for (let n = 0; n < 200; n += 1) {
    slots.enter("1:1", "hung");
    slots.leave("1:1", silent);
  }
  expect(Array.from({ length: 1_000 }, () => slots.delayMs("hung")).at(-1)).toBe(300_000);
});

test("a subscription that moves to another host takes its slot there", () => {
  const slots = createReceiverSlots();
  slots.reserve("1:1", "old");
  expect(slots.enter("1:1", "new")).toBe(true);
  expect([slots.room("old"), slots.room("new")]).toEqual([10, 9]);
  slots.leave("1:1", answered);
  slots.leave("1:1", answered);
  expect(slots.room("new")).toBe(10);
});

test("a run that is started once more, while its first start goes on, holds one slot and gives it back", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  slots.reserve("1:1", "a");
  slots.reserve("1:1", "a");
  expect(slots.free("a")).toBe(9);
  // Given back by its relay, it asks no host.
  pass(10_000);
  slots.reserve("1:1", "");
  expect([slots.free("a"), slots.free("")]).toEqual([10, 9]);
  slots.reserve("2:1", "a");
  slots.leave("1:1", answered);
  slots.leave("2:1", answered);
  expect([slots.free("a"), slots.free("")]).toEqual([10, 10]);
});

test("a host holds deliveries up while it is full, where it is the receiver that takes the time", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  const fill = (host: string, heldMs: number, durationMs: number) => {
    for (let round = 0; round < 2; round += 1) {
      for (let n = 0; n < 10; n += 1) slots.reserve(`${n}:1`, host);
      expect(slots.free(host)).toBe(0);
      pass(heldMs);
      for (let n = 0; n < 10; n += 1) slots.leave(`${n}:1`, { reached: true, durationMs });
    }
  };
  fill("slow", 2_000, 1_990);
  expect(slots.notFullMs("slow")).toBe(0);
  pass(30);
  expect(slots.notFullMs("slow")).toBe(30);
  // Its slots were all taken as well, but most of the time by runs that waited for Temporal.
  fill("quick", 2_000, 10);
  expect(slots.notFullMs("quick")).toBe(Infinity);
  expect(slots.notFullMs("another")).toBe(Infinity);
});
