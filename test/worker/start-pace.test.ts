import { expect, test } from "vitest";
import { createStartPace } from "../../worker/start-pace.ts";

const silent = { error: "TemporalSilent", passing: true };
const refused = { error: "INVALID_ARGUMENT", passing: false };

function scene() {
  let at = 1_000_000;
  const pace = createStartPace(() => at);
  let asked = 0;
  const look = async (reachable: boolean) => {
    const before = asked;
    pace.look(async () => await Promise.resolve(((asked += 1), reachable)));
    await new Promise((resolve) => setTimeout(resolve, 0));
    return asked > before;
  };
  return { pace, look, pass: (ms: number) => void (at += ms) };
}

test("64 runs may be being started at once, whatever comes of them", () => {
  const { pace } = scene();
  expect(pace.room()).toBe(64);
  pace.begin(60);
  expect(pace.room()).toBe(4);
  pace.begin(10);
  expect(pace.room()).toBe(0);
  for (let n = 0; n < 60; n += 1) pace.end();
  expect(pace.room()).toBe(54);
});

test("Temporal is away where it took none and might have taken some, and nothing is started until it answers", async () => {
  const { pace, look, pass } = scene();
  pace.judge(["started", silent, refused]);
  expect(pace.isAway()).toBe(false);
  pace.judge([refused]);
  expect(pace.isAway()).toBe(false);
  pace.judge([silent, refused]);
  expect(pace.isAway()).toBe(true);
  expect(pace.room()).toBe(0);
  expect(await look(true), "asked too early").toBe(false);
  pass(250);
  expect(await look(true)).toBe(true);
  expect(pace.isAway()).toBe(false);
  expect(pace.room()).toBe(64);
});

test("it is asked ever less often, every five seconds at the least", async () => {
  const { pace, look, pass } = scene();
  pace.judge([silent]);
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
