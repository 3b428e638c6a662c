import { expect, test } from "vitest";
import { createCircuitBreaker } from "../../../worker/engine/circuit-breaker.ts";

const silent = { result: { error: "TemporalSilent", transient: true }, failedBefore: false };
const silentAgain = { ...silent, failedBefore: true };
const refused = { result: { error: "INVALID_ARGUMENT", transient: false }, failedBefore: false };
const taken = { result: "started", failedBefore: false } as const;

function fixture() {
  let at = 1_000_000;
  const breaker = createCircuitBreaker(() => at);
  let asked = 0;
  const look = async (reachable: boolean) => {
    const before = asked;
    breaker.probe(async () => await Promise.resolve(((asked += 1), reachable)));
    await new Promise((resolve) => setTimeout(resolve, 0));
    return asked > before;
  };
  return { breaker, look, pass: (ms: number) => void (at += ms) };
}

test("64 runs may be being started at once, whatever comes of them", () => {
  const { breaker } = fixture();
  expect(breaker.available()).toBe(64);
  breaker.begin(60);
  expect(breaker.available()).toBe(4);
  breaker.begin(10);
  expect(breaker.available()).toBe(0);
  for (let n = 0; n < 60; n += 1) breaker.end();
  expect(breaker.available()).toBe(54);
});

test("Temporal is away where it took none and might have taken some, and nothing is started until it answers", async () => {
  const { breaker, look, pass } = fixture();
  breaker.recordOutcomes([taken, silent, refused]);
  expect(breaker.isOpen()).toBe(false);
  breaker.recordOutcomes([refused]);
  expect(breaker.isOpen()).toBe(false);
  breaker.recordOutcomes([silent, refused]);
  expect(breaker.isOpen()).toBe(true);
  expect(breaker.available()).toBe(0);
  expect(await look(true), "asked too early").toBe(false);
  pass(250);
  expect(await look(true)).toBe(true);
  expect(breaker.isOpen()).toBe(false);
  expect(breaker.available()).toBe(64);
});

test("it is asked ever less often, every five seconds at the least", async () => {
  const { breaker, look, pass } = fixture();
  breaker.recordOutcomes([silent]);
  const gaps: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    let gap = 0;
    while (!(await look(false))) {
      gap += 50;
      pass(50);
    }
    gaps.push(gap);
  }
  expect(gaps[0]).toBeLessThanOrEqual(250);
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(2_500);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(5_000);
});

test("a row that fails again and again alone makes no pause where Temporal answers", async () => {
  const { breaker, look } = fixture();
  for (let tries = 0; tries < 10; tries += 1) {
    breaker.recordOutcomes([silentAgain]);
    expect(breaker.isOpen()).toBe(false);
    expect(breaker.available(), "nothing is started until it has answered").toBe(0);
    expect(await look(true)).toBe(true);
    expect(breaker.available()).toBe(64);
  }
  expect(await look(true), "no doubt is left").toBe(false);
});

test("where it does not answer either, Temporal is away", async () => {
  const { breaker, look, pass } = fixture();
  breaker.recordOutcomes([silentAgain]);
  expect(await look(false)).toBe(true);
  expect(breaker.isOpen()).toBe(true);
  expect(await look(true), "asked too early").toBe(false);
  pass(250);
  await look(true);
  expect([breaker.isOpen(), breaker.available()]).toEqual([false, 64]);
});
