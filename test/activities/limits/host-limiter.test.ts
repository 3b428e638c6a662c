import { expect, test } from "vitest";
import { createHostLimiter, type HostLimiter } from "../../../activities/limits/host-limiter.ts";

const answered = { reached: true, durationMs: 20, ip: null };
const silent = { reached: false, durationMs: 8_000, ip: null };

function clock() {
  let at = 1_000_000;
  return { now: () => at, pass: (ms: number) => void (at += ms) };
}

/** Posts to a host, one after the other. */
const postsTo = (slots: HostLimiter) => (answer: typeof answered) => {
  slots.acquire("1:1", "a");
  slots.release("1:1", answer);
};

test("a host has one slot at first, and a run that was started here brings its own", () => {
  const slots = createHostLimiter();
  expect(slots.available("a")).toBe(1);
  slots.reserve("1:1", "a");
  expect(slots.available("a")).toBe(0);
  expect(slots.acquire("1:1", "a")).toBe(true);
  // Asked again, as a repeated transaction does, it is the same slot.
  expect(slots.acquire("1:1", "a")).toBe(true);
  expect(slots.acquire("2:1", "a")).toBe(false);
  expect(slots.acquire("2:1", "b")).toBe(true);
  slots.release("1:1", null);
  expect(slots.acquire("3:1", "a")).toBe(true);
});

test("a first attempt that is not answered leaves the minimum of two slots, after its cooldown", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now, random: () => 0.5 });
  const run = postsTo(slots);
  run(silent);
  expect(slots.available("a")).toBe(0);
  pass(4_000);
  expect(slots.available("a")).toBe(2);
  pass(1_000);
  run(silent);
  pass(4_000);
  expect(slots.available("a")).toBe(2);
});

test("a host that answers has a slot more for each answer, until the first time that it does not", () => {
  const slots = createHostLimiter();
  const run = postsTo(slots);
  for (let n = 0; n < 19; n += 1) run(answered);
  expect(slots.available("a")).toBe(20);
  run(silent);
  expect(slots.available("a")).toBe(10);
  for (let n = 0; n < 10; n += 1) run(answered);
  expect(slots.available("a")).toBe(10);
  run(answered);
  expect(slots.available("a")).toBe(11);
});

test("answers make a cap grow to 50, and one trouble halves it once, down to 2", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now, random: () => 0 });
  const run = postsTo(slots);
  for (let n = 0; n < 5_000; n += 1) run(answered);
  expect(slots.available("a")).toBe(50);
  run(silent);
  run(silent);
  expect(slots.available("a")).toBe(25);
  for (let n = 0; n < 10; n += 1) {
    pass(1_000);
    run(silent);
  }
  expect(slots.available("a")).toBe(2);
  run(answered);
  run(answered);
  expect(slots.available("a")).toBe(2);
  for (let n = 0; n < 20; n += 1) run(answered);
  expect(slots.available("a")).toBeGreaterThan(4);
});

test("16 runs at first may wait for their first attempt, whatever hosts they go to", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now });
  for (let n = 0; n < 16; n += 1) slots.reserve(`${n}:1`, `host${n}`);
  expect(slots.startsAvailable()).toBe(0);
  slots.recordStarted("5:1");
  slots.acquire("5:1", "host5");
  expect(slots.startsAvailable()).toBe(1);
  // Those that never begin here are forgotten, and hold no slot any more.
  pass(15_000);
  expect(slots.startsAvailable()).toBe(16);
  expect(slots.available("host6")).toBe(1);
  expect(slots.available("host5")).toBe(0);
});

test("more may wait while runs get to their attempt at once, fewer while they do not", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now });
  let host = 0;
  const begin = (count: number, afterMs: number) => {
    const runs = Array.from({ length: count }, (_, n) => `${host}-${n}:1`);
    for (const run of runs) slots.reserve(run, `host${run}`);
    pass(afterMs);
    for (const run of runs) slots.recordStarted(run);
    host += 1;
  };
  expect(slots.startsAvailable()).toBe(16);
  for (let n = 0; n < 200; n += 1) begin(16, 20);
  expect(slots.startsAvailable()).toBe(64);
  begin(64, 300);
  expect(slots.startsAvailable()).toBe(48);
  for (let n = 0; n < 20; n += 1) begin(8, 600);
  expect(slots.startsAvailable()).toBe(8);
  begin(8, 20);
  expect(slots.startsAvailable()).toBe(8);
  for (let n = 0; n < 8; n += 1) begin(8, 20);
  expect(slots.startsAvailable()).toBeGreaterThan(12);
});

test("starts are late while runs take more than 75 ms, and three times as long as at their best", () => {
  const { now, pass } = clock();
  const startMany = (
    slots: ReturnType<typeof createHostLimiter>,
    count: number,
    afterMs: number,
  ) => {
    for (let n = 0; n < count; n += 1) {
      slots.reserve(`${afterMs}-${n}:1`, `host${afterMs}-${n}`);
      pass(afterMs);
      slots.recordStarted(`${afterMs}-${n}:1`);
    }
  };
  const near = createHostLimiter({ now });
  // The first runs are slow, as the code of a new process is.
  startMany(near, 20, 200);
  startMany(near, 100, 20);
  expect(near.areStartsLate()).toBe(false);
  startMany(near, 60, 74);
  expect(near.areStartsLate()).toBe(false);
  startMany(near, 60, 90);
  expect(near.areStartsLate()).toBe(true);
  pass(1_000);
  expect(near.areStartsLate()).toBe(false);
  startMany(near, 60, 90);
  startMany(near, 40, 20);
  expect(near.areStartsLate()).toBe(false);

  const far = createHostLimiter({ now });
  startMany(far, 100, 60);
  startMany(far, 60, 170);
  expect(far.areStartsLate()).toBe(false);
  startMany(far, 60, 190);
  expect(far.areStartsLate()).toBe(true);
});

test("it is crowded for a moment after the relay has said so", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now });
  expect(slots.isBacklogged()).toBe(false);
  slots.markBacklog();
  pass(399);
  expect(slots.isBacklogged()).toBe(true);
  pass(1);
  expect(slots.isBacklogged()).toBe(false);
});

test("a host that keeps silent with a cap of two rests for up to as long as it was silent", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now, random: () => 0.5 });
  postsTo(slots)(answered);
  slots.reserve("1:1", "a");
  slots.reserve("2:1", "a");
  slots.release("1:1", silent);
  expect(slots.available("a")).toBe(0);
  expect(slots.acquire("3:1", "a")).toBe(false);
  // What finds it resting comes back after its rest.
  expect(slots.retryDelayMs("a")).toBeGreaterThan(4_000);
  // One that was started before goes on.
  expect(slots.acquire("2:1", "a")).toBe(true);
  slots.release("2:1", null);
  pass(3_999);
  expect(slots.available("a")).toBe(0);
  pass(1);
  expect(slots.available("a")).toBe(2);
  // A refusal comes at once, and so does the next attempt.
  slots.acquire("4:1", "a");
  slots.release("4:1", { reached: false, durationMs: 2, ip: null });
  pass(1);
  expect(slots.available("a")).toBe(2);
});

test("a host that is silent now and then, and bears many, does not rest", () => {
  const slots = createHostLimiter();
  for (let n = 0; n < 20; n += 1) {
    slots.acquire("1:1", "a");
    slots.release("1:1", answered);
  }
  slots.acquire("1:1", "a");
  slots.release("1:1", silent);
  expect(slots.available("a")).toBe(10);
});

test("attempts that find no slot come back one after the other, as fast as the host has shown", () => {
  const { now } = clock();
  const slots = createHostLimiter({ now });
  const delays = Array.from({ length: 1_000 }, () => slots.retryDelayMs("a"));
  expect(delays[0]).toBe(250);
  // 200 ms for each attempt, ten at once, which it is hoped to bear by then.
  expect(delays.at(-1)).toBe(20_000);
  for (let n = 0; n < 200; n += 1) {
    slots.acquire("1:1", "hung");
    slots.release("1:1", silent);
  }
  expect(Array.from({ length: 1_000 }, () => slots.retryDelayMs("hung")).at(-1)).toBe(300_000);
});

test("slots are booked by the time that they are held, not by the POST alone", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now, random: () => 0 });
  for (let n = 0; n < 60; n += 1) {
    slots.acquire("1:1", "a");
    // The transaction before the POST takes long, and the host refuses at once.
    pass(1_000);
    slots.release("1:1", { reached: false, durationMs: 1, ip: null });
  }
  expect(slots.available("a")).toBe(2);
  const delays = Array.from({ length: 20 }, () => slots.retryDelayMs("a"));
  expect(delays[9]).toBeGreaterThan(4_500);
  expect(delays[19]).toBeGreaterThan(9_000);
});

test("a host that hung with many waiting takes them in seconds once it answers again", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now, random: () => 0 });
  const post = postsTo(slots);
  for (let n = 0; n < 200; n += 1) post(silent);
  // Each comes back at its time, finds no slot, and books another.
  for (let n = 0; n < 5_000; n += 1) slots.retryDelayMs("a");
  for (let n = 0; n < 60; n += 1) post(answered);
  expect(slots.retryDelayMs("a")).toBeLessThan(3_000);
  pass(3_000);
  expect(slots.retryDelayMs("a")).toBe(250);
});

test("a subscription that moves to another host takes its slot there", () => {
  const slots = createHostLimiter();
  slots.reserve("1:1", "old");
  expect(slots.acquire("1:1", "new")).toBe(true);
  expect([slots.available("old"), slots.available("new")]).toEqual([1, 0]);
  slots.release("1:1", answered);
  slots.release("1:1", answered);
  expect(slots.available("new")).toBe(2);
});

test("a run that is started once more, while its first start goes on, holds one slot and gives it back", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now });
  slots.reserve("1:1", "a");
  slots.reserve("1:1", "a");
  expect(slots.available("a")).toBe(0);
  // Given back by its relay, it asks no host.
  pass(10_000);
  slots.reserve("1:1", "");
  expect([slots.available("a"), slots.available("")]).toEqual([1, 0]);
  slots.reserve("2:1", "a");
  slots.release("1:1", null);
  slots.release("2:1", null);
  expect([slots.available("a"), slots.available("")]).toEqual([1, 1]);
});

test("a host holds deliveries up while it is full, where it is the receiver that takes the time", () => {
  const { now, pass } = clock();
  const slots = createHostLimiter({ now });
  const fill = (host: string, heldMs: number, durationMs: number) => {
    for (let round = 0; round < 5; round += 1) {
      const runs = slots.available(host);
      for (let n = 0; n < runs; n += 1) slots.reserve(`${n}:1`, host);
      expect(slots.available(host)).toBe(0);
      pass(heldMs);
      for (let n = 0; n < runs; n += 1)
        slots.release(`${n}:1`, { reached: true, durationMs, ip: null });
    }
  };
  fill("slow", 2_000, 1_990);
  expect(slots.unsaturatedMs("slow")).toBe(0);
  pass(30);
  expect(slots.unsaturatedMs("slow")).toBe(30);
  // Its slots were all taken as well, but most of the time by runs that waited for Temporal.
  fill("quick", 2_000, 10);
  expect(slots.unsaturatedMs("quick")).toBe(Infinity);
  expect(slots.unsaturatedMs("another")).toBe(Infinity);
});

test("names that lead to one address and port have 50 slots together, another port has its own", () => {
  const slots = createHostLimiter();
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.example`);
  const from = { ...answered, ip: "192.0.2.1" };
  for (const name of [...names, "n.example:8443"]) {
    for (let n = 0; n < 60; n += 1) {
      slots.acquire(`learn ${name}`, name);
      slots.release(`learn ${name}`, from);
    }
  }
  const enterAll = (name: string) => {
    let entered = 0;
    while (slots.acquire(`${name} ${entered}`, name)) entered += 1;
    return entered;
  };
  const held = names.map(enterAll);
  expect(held.reduce((sum, one) => sum + one, 0)).toBe(50);
  expect(slots.available("n19.example")).toBe(0);
  expect(slots.available("n.example:8443")).toBe(50);
  slots.release("n0.example 0", from);
  expect(slots.available("n19.example")).toBe(1);
  // A name that has moved counts where it is now.
  slots.release("n0.example 1", { ...answered, ip: "192.0.2.2" });
  expect(slots.available("n0.example")).toBeGreaterThan(1);
});

test("runs that start toward names of one address share its slots, and a refused run holds none", () => {
  const slots = createHostLimiter({ maxLimit: 5 });
  const names = Array.from({ length: 10 }, (_, index) => `n${index}.example`);
  const from = { reached: true, durationMs: 20, ip: "192.0.2.1" };
  for (const name of names) {
    for (let n = 0; n < 5; n += 1) {
      slots.acquire(`learn ${name}`, name);
      slots.release(`learn ${name}`, from);
    }
  }
  // Each name has five free slots, which are those of their address.
  expect(names.map((name) => slots.available(name))).toEqual(names.map(() => 5));
  const address = { key: "192.0.2.1 ", available: 5 };
  expect(names.map((name) => slots.addressOf(name))).toEqual(names.map(() => address));
  const starts = names.flatMap((name) => [`${name}:1`, `${name}:2`].map((run) => ({ run, name })));
  const taken = starts.filter(({ run, name }) => slots.reserve(run, name));
  expect(taken).toHaveLength(5);
  expect(slots.startsAvailable()).toBe(11);
  expect(slots.addressOf("n0.example")?.available).toBe(0);
  // A run that is started once more keeps its slot, and so does a run that asks no host.
  expect(taken.map(({ run, name }) => slots.reserve(run, name))).toEqual(taken.map(() => true));
  expect([slots.reserve("a:1", ""), slots.reserve("b:1", "")]).toEqual([true, true]);
  for (const { run } of taken) slots.release(run, null);
  expect(names.map((name) => slots.available(name))).toEqual(names.map(() => 5));
});

test("a run that is started once more keeps its slot while its host rests", () => {
  const slots = createHostLimiter({ random: () => 0.5 });
  postsTo(slots)(answered);
  expect([slots.reserve("1:1", "a"), slots.reserve("2:1", "a")]).toEqual([true, true]);
  slots.release("1:1", silent);
  expect([slots.reserve("1:1", "a"), slots.reserve("2:1", "a")]).toEqual([false, true]);
});

test("the installation decides how many a host takes, down to one at a time", () => {
  const { now, pass } = clock();
  const wide = createHostLimiter({ maxLimit: 120, now });
  const narrow = createHostLimiter({ maxLimit: 1, now, random: () => 0 });
  for (let n = 0; n < 500; n += 1) {
    postsTo(wide)(answered);
    postsTo(narrow)(answered);
  }
  expect([wide.available("a"), narrow.available("a")]).toEqual([120, 1]);
  pass(1_000);
  postsTo(narrow)(silent);
  expect(narrow.available("a")).toBe(1);
  // 200 ms for each attempt, one at a time.
  expect(createHostLimiter({ maxLimit: 1, now }).retryDelayMs("b")).toBe(250);
  const delays = Array.from({ length: 10 }, () => narrow.retryDelayMs("c"));
  expect(delays.at(-1)).toBe(2_000);
});
