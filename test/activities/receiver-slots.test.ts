import { expect, test } from "vitest";
import { createReceiverSlots, type ReceiverSlots } from "../../activities/receiver-slots.ts";

const answered = { reached: true, durationMs: 20, ip: null };
const silent = { reached: false, durationMs: 8_000, ip: null };

function clock() {
  let at = 1_000_000;
  return { now: () => at, pass: (ms: number) => void (at += ms) };
}

/** Posts to a host, one after the other. */
const postsTo = (slots: ReceiverSlots) => (answer: typeof answered) => {
  slots.enter("1:1", "a");
  slots.leave("1:1", answer);
};

test("a host has one slot at first, and a run that was started here brings its own", () => {
  const slots = createReceiverSlots();
  expect(slots.free("a")).toBe(1);
  slots.reserve("1:1", "a");
  expect(slots.free("a")).toBe(0);
  expect(slots.enter("1:1", "a")).toBe(true);
  // Asked again, as a repeated transaction does, it is the same slot.
  expect(slots.enter("1:1", "a")).toBe(true);
  expect(slots.enter("2:1", "a")).toBe(false);
  expect(slots.enter("2:1", "b")).toBe(true);
  slots.leave("1:1", null);
  expect(slots.enter("3:1", "a")).toBe(true);
});

test("a host that answers has a slot more for each answer, until the first time that it does not", () => {
  const slots = createReceiverSlots();
  const run = postsTo(slots);
  for (let n = 0; n < 19; n += 1) run(answered);
  expect(slots.free("a")).toBe(20);
  run(silent);
  expect(slots.free("a")).toBe(10);
  for (let n = 0; n < 10; n += 1) run(answered);
  expect(slots.free("a")).toBe(10);
  run(answered);
  expect(slots.free("a")).toBe(11);
});

test("answers make a cap grow to 50, and one trouble halves it once, down to 2", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now, () => 0);
  const run = postsTo(slots);
  for (let n = 0; n < 5_000; n += 1) run(answered);
  expect(slots.free("a")).toBe(50);
  run(silent);
  run(silent);
  expect(slots.free("a")).toBe(25);
  for (let n = 0; n < 10; n += 1) {
    pass(1_000);
    run(silent);
  }
  expect(slots.free("a")).toBe(2);
  run(answered);
  run(answered);
  expect(slots.free("a")).toBe(2);
  for (let n = 0; n < 20; n += 1) run(answered);
  expect(slots.free("a")).toBeGreaterThan(4);
});

test("16 runs at first may wait for their first attempt, whatever hosts they go to", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  for (let n = 0; n < 16; n += 1) slots.reserve(`${n}:1`, `host${n}`);
  expect(slots.room()).toBe(0);
  slots.arrive("5:1");
  slots.enter("5:1", "host5");
  expect(slots.room()).toBe(1);
  // Those that never begin here are forgotten, and hold no slot any more.
  pass(15_000);
  expect(slots.room()).toBe(16);
  expect(slots.free("host6")).toBe(1);
  expect(slots.free("host5")).toBe(0);
});

test("more may wait while runs get to their attempt at once, fewer while they do not", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  let host = 0;
  const begin = (count: number, afterMs: number) => {
    const runs = Array.from({ length: count }, (_, n) => `${host}-${n}:1`);
    for (const run of runs) slots.reserve(run, `host${run}`);
    pass(afterMs);
    for (const run of runs) slots.arrive(run);
    host += 1;
  };
  expect(slots.room()).toBe(16);
  for (let n = 0; n < 200; n += 1) begin(16, 20);
  expect(slots.room()).toBe(64);
  begin(64, 300);
  expect(slots.room()).toBe(48);
  for (let n = 0; n < 20; n += 1) begin(8, 600);
  expect(slots.room()).toBe(8);
  begin(8, 20);
  expect(slots.room()).toBe(8);
  for (let n = 0; n < 8; n += 1) begin(8, 20);
  expect(slots.room()).toBeGreaterThan(12);
});

test("it is crowded for a moment after the relay has said so", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  expect(slots.isCrowded()).toBe(false);
  slots.crowd();
  pass(399);
  expect(slots.isCrowded()).toBe(true);
  pass(1);
  expect(slots.isCrowded()).toBe(false);
});

test("a host that keeps silent with a cap of two rests for up to as long as it was silent", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now, () => 0.5);
  slots.reserve("1:1", "a");
  slots.reserve("2:1", "a");
  slots.leave("1:1", silent);
  expect(slots.free("a")).toBe(0);
  expect(slots.enter("3:1", "a")).toBe(false);
  // What finds it resting comes back after its rest.
  expect(slots.delayMs("a")).toBeGreaterThan(4_000);
  // One that was started before goes on.
  expect(slots.enter("2:1", "a")).toBe(true);
  slots.leave("2:1", null);
  pass(3_999);
  expect(slots.free("a")).toBe(0);
  pass(1);
  expect(slots.free("a")).toBe(2);
  // A refusal comes at once, and so does the next attempt.
  slots.enter("4:1", "a");
  slots.leave("4:1", { reached: false, durationMs: 2, ip: null });
  pass(1);
  expect(slots.free("a")).toBe(2);
});

test("a host that is silent now and then, and bears many, does not rest", () => {
  const slots = createReceiverSlots();
  for (let n = 0; n < 20; n += 1) {
    slots.enter("1:1", "a");
    slots.leave("1:1", answered);
  }
  slots.enter("1:1", "a");
  slots.leave("1:1", silent);
  expect(slots.free("a")).toBe(10);
});

test("attempts that find no slot come back one after the other, as fast as the host has shown", () => {
  const { now } = clock();
  const slots = createReceiverSlots(now);
  const delays = Array.from({ length: 1_000 }, () => slots.delayMs("a"));
  expect(delays[0]).toBe(250);
  // 200 ms for each attempt, ten at once, which it is hoped to bear by then.
  expect(delays.at(-1)).toBe(20_000);
  for (let n = 0; n < 200; n += 1) {
    slots.enter("1:1", "hung");
    slots.leave("1:1", silent);
  }
  expect(Array.from({ length: 1_000 }, () => slots.delayMs("hung")).at(-1)).toBe(300_000);
});

test("a host that hung with many waiting takes them in seconds once it answers again", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now, () => 0);
  const post = postsTo(slots);
  for (let n = 0; n < 200; n += 1) post(silent);
  // Each comes back at its time, finds no slot, and books another.
  for (let n = 0; n < 5_000; n += 1) slots.delayMs("a");
  for (let n = 0; n < 60; n += 1) post(answered);
  expect(slots.delayMs("a")).toBeLessThan(3_000);
  pass(3_000);
  expect(slots.delayMs("a")).toBe(250);
});

test("a subscription that moves to another host takes its slot there", () => {
  const slots = createReceiverSlots();
  slots.reserve("1:1", "old");
  expect(slots.enter("1:1", "new")).toBe(true);
  expect([slots.free("old"), slots.free("new")]).toEqual([1, 0]);
  slots.leave("1:1", answered);
  slots.leave("1:1", answered);
  expect(slots.free("new")).toBe(2);
});

test("a run that is started once more, while its first start goes on, holds one slot and gives it back", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  slots.reserve("1:1", "a");
  slots.reserve("1:1", "a");
  expect(slots.free("a")).toBe(0);
  // Given back by its relay, it asks no host.
  pass(10_000);
  slots.reserve("1:1", "");
  expect([slots.free("a"), slots.free("")]).toEqual([1, 0]);
  slots.reserve("2:1", "a");
  slots.leave("1:1", null);
  slots.leave("2:1", null);
  expect([slots.free("a"), slots.free("")]).toEqual([1, 1]);
});

test("a host holds deliveries up while it is full, where it is the receiver that takes the time", () => {
  const { now, pass } = clock();
  const slots = createReceiverSlots(now);
  const fill = (host: string, heldMs: number, durationMs: number) => {
    for (let round = 0; round < 5; round += 1) {
      const runs = slots.free(host);
      for (let n = 0; n < runs; n += 1) slots.reserve(`${n}:1`, host);
      expect(slots.free(host)).toBe(0);
      pass(heldMs);
      for (let n = 0; n < runs; n += 1)
        slots.leave(`${n}:1`, { reached: true, durationMs, ip: null });
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

test("names that lead to one address and port have 50 slots together, another port has its own", () => {
  const slots = createReceiverSlots();
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.example`);
  const from = { ...answered, ip: "192.0.2.1" };
  for (const name of [...names, "n.example:8443"]) {
    for (let n = 0; n < 60; n += 1) {
      slots.enter(`learn ${name}`, name);
      slots.leave(`learn ${name}`, from);
    }
  }
  const enterAll = (name: string) => {
    let entered = 0;
    while (slots.enter(`${name} ${entered}`, name)) entered += 1;
    return entered;
  };
  const held = names.map(enterAll);
  expect(held.reduce((sum, one) => sum + one, 0)).toBe(50);
  expect(slots.free("n19.example")).toBe(0);
  expect(slots.free("n.example:8443")).toBe(50);
  slots.leave("n0.example 0", from);
  expect(slots.free("n19.example")).toBe(1);
  // A name that has moved counts where it is now.
  slots.leave("n0.example 1", { ...answered, ip: "192.0.2.2" });
  expect(slots.free("n0.example")).toBeGreaterThan(1);
});
