import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import {
  createBurstMode,
  isOverloaded,
  type BurstFacts,
} from "../../../worker/engine/burst-mode.ts";

const facts = (given: Partial<BurstFacts>): BurstFacts => ({
  oldestMs: 0,
  behindMs: 0,
  heldBackMs: 0,
  temporalAway: false,
  perSecond: 0,
  sustainableRate: null,
  sinceMs: 10_000,
  ...given,
});

test("it opens above 500 ms and not before", () => {
  expect(isOverloaded(false, facts({ oldestMs: 500, behindMs: 500 }))).toBe(false);
  expect(isOverloaded(false, facts({ oldestMs: 501, behindMs: 501 }))).toBe(true);
});

test("once open it stays so down to 100 ms, and closes below", () => {
  expect(isOverloaded(true, facts({ oldestMs: 499 }))).toBe(true);
  expect(isOverloaded(true, facts({ oldestMs: 100 }))).toBe(true);
  expect(isOverloaded(true, facts({ oldestMs: 99 }))).toBe(false);
});

test("it never closes where a backlog of any age opens it", () => {
  expect(isOverloaded(false, facts({ oldestMs: 1, behindMs: 1 }), 0)).toBe(true);
  expect(isOverloaded(true, facts({ oldestMs: 0 }), 0)).toBe(true);
});

test("it stays open down to a third of what workflows have borne, for five minutes at most", () => {
  const open = (given: Partial<BurstFacts>) =>
    isOverloaded(true, facts({ sustainableRate: 150, ...given }));
  expect(open({ perSecond: 400 })).toBe(true);
  expect(open({ perSecond: 51 })).toBe(true);
  expect(open({ perSecond: 50 })).toBe(false);
  expect(open({ perSecond: 400, sinceMs: 300_000 })).toBe(false);
});

test("a limit of starts that holds young deliveries back for two seconds opens it", () => {
  expect(isOverloaded(false, facts({ oldestMs: 220, behindMs: 220, heldBackMs: 1_999 }))).toBe(
    false,
  );
  expect(isOverloaded(false, facts({ oldestMs: 220, behindMs: 220, heldBackMs: 2_000 }))).toBe(
    true,
  );
});

test("it is open while Temporal is away, however little waits", () => {
  expect(isOverloaded(false, facts({ temporalAway: true }))).toBe(true);
  expect(isOverloaded(true, facts({ temporalAway: true, oldestMs: 0 }))).toBe(true);
});

test("where no host has room for what is due, it stays as it is", () => {
  expect(isOverloaded(false, facts({ oldestMs: null }))).toBe(false);
  expect(isOverloaded(true, facts({ oldestMs: null }))).toBe(true);
});

const hostsWith = (isAvailable: (key: string) => boolean, notFullMs = Infinity) => ({
  isAvailable,
  unsaturatedMs: () => notFullMs,
});

function fixture() {
  let at = 1_000_000;
  const burstMode = createBurstMode(() => at);
  const look = (ageMs: number | null, key = "1:a", room = true, away = false) =>
    burstMode.evaluate(
      ageMs === null ? [] : [{ key, ageMs }],
      hostsWith(() => room),
      away,
    );
  const claim = (count: number, atLimit = false) => burstMode.recordClaim({ count, atLimit });
  return { burstMode, look, claim, pass: (ms: number) => void (at += ms), passed: () => at };
}

test("a burst opens it, and its end closes it", () => {
  const { look, pass } = fixture();
  expect(look(20)).toBe(false);
  pass(600);
  expect(look(620)).toBe(true);
  pass(300);
  expect(look(300)).toBe(true);
  pass(300);
  expect(look(null)).toBe(false);
});

test("a rate that workflows could not bear keeps it open until two seconds bring a third of it", () => {
  const { look, claim, pass } = fixture();
  for (let n = 0; n < 10; n += 1) {
    pass(100);
    claim(8);
    look(n * 60);
  }
  expect(look(600)).toBe(true);
  for (let n = 0; n < 50; n += 1) {
    pass(100);
    claim(40);
    expect(look(10)).toBe(true);
  }
  // A pause of one second, as between two imports, is no end.
  pass(1_000);
  expect(look(10)).toBe(true);
  pass(1_001);
  claim(5);
  expect(look(10)).toBe(false);
});

/**
 * Polls of a relay for `seconds` at a rate that its workflows just handle: the limit of starts holds
 * deliveries back in most polls, and none gets old.
 * @returns the times of its changes, in milliseconds from the first poll
 */
function pollAtLimit(
  { look, claim, pass, passed }: ReturnType<typeof fixture>,
  seconds: number,
  arrivals: (ms: number) => number,
): number[] {
  const changes: number[] = [];
  const start = passed();
  let active = false;
  let pauseMs = 5;
  for (let poll = 0; passed() - start < seconds * 1_000; poll += 1) {
    pass(pauseMs);
    const next = look(active ? 8 : 120);
    if (next !== active) changes.push(passed() - start);
    active = next;
    // Without burst mode, every other poll finds a start free, and the next one follows at once.
    const atLimit = !active && poll % 2 === 0;
    claim(arrivals(pauseMs), atLimit);
    pauseMs = atLimit ? 100 : 5;
  }
  return changes;
}

test("a rate that workflows just handle opens it within three seconds, and it does not flap", () => {
  const changes = pollAtLimit(fixture(), 290, (ms) => ms / 10);
  expect(changes).toHaveLength(1);
  expect(changes[0]).toBeLessThan(3_000);
});

test("workflows at their limit open it within three seconds, where no delivery is old", () => {
  const { look, claim, pass, passed } = fixture();
  const start = passed();
  while (!look(8)) {
    pass(10);
    claim(1, true);
  }
  expect(passed() - start).toBeLessThan(3_000);
  // Workflows have no limit while the relay makes the attempts itself.
  for (let poll = 0; poll < 500; poll += 1) {
    pass(10);
    claim(1);
    expect(look(8)).toBe(true);
  }
});

test("deliveries that come at random open it once", () => {
  // A generator of its own, so that each run sees the same arrivals: 20 a second.
  let seed = 20;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const changes = pollAtLimit(fixture(), 290, (ms) => {
    let count = 0;
    for (let step = 0; step < ms; step += 1) if (random() < 0.02) count += 1;
    return count;
  });
  expect(changes).toHaveLength(1);
});

test("a limit that holds deliveries back less than half of the time leaves it closed", () => {
  const { look, claim, pass } = fixture();
  for (let poll = 0; poll < 1_000; poll += 1) {
    const isFree = poll % 5 > 1;
    pass(100);
    expect(look(120)).toBe(false);
    claim(1, !isFree);
  }
});

test("time without a poll counts neither for nor against it", () => {
  const { look, claim, pass } = fixture();
  claim(1, true);
  // MySQL was away.
  pass(60_000);
  expect(look(20)).toBe(false);
});

test("neither a host that takes no more nor a row for Temporal alone opens it", () => {
  const { look } = fixture();
  expect(look(60_000, "1:hung", false)).toBe(false);
  expect(look(60_000, "-:1")).toBe(false);
  expect(look(60_000, "1:")).toBe(false);
  expect(look(60_000, "1:a")).toBe(true);
});

test("a receiver that takes all the time of its slots leaves it closed, however long its deliveries wait", () => {
  const { burstMode, claim, pass } = fixture();
  const partitions = [
    { key: "1:slow", ageMs: 60_000 },
    { key: "2:quick", ageMs: 10 },
  ];
  for (let n = 0; n < 100; n += 1) {
    pass(20);
    claim(1);
    // One of its slots is free in every other look.
    const isFull = n % 2 === 0;
    const hosts = hostsWith((key) => key !== "1:slow" || !isFull, isFull ? 0 : 20);
    expect(burstMode.evaluate(partitions, hosts, false)).toBe(false);
  }
  // It has had room for a while, and what goes to it still waits.
  expect(
    burstMode.evaluate(
      partitions,
      hostsWith(() => true, 501),
      false,
    ),
  ).toBe(true);
});

/** Bytes of the heap in use, after a collection. */
function heapInUse(): number {
  setFlagsFromString("--expose_gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

test("a worker that never asks for the rate, as in the default mode, remembers no more than its window", () => {
  const { claim, pass } = fixture();
  const before = heapInUse();
  for (let n = 0; n < 500_000; n += 1) {
    pass(20);
    claim(1);
  }
  expect(heapInUse() - before).toBeLessThan(2_000_000);
  // burst mode is in use until here, so that its memory counts.
  claim(1);
});
