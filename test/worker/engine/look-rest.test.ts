import { expect, test } from "vitest";
import { createLookRest } from "../../../worker/engine/look-rest.ts";

/** The rest after a second in which a row came every `everyMs`, and a look found each at once. */
function restAt(everyMs: number): number {
  let nowMs = 0;
  const rest = createLookRest(() => nowMs);
  let restMs = 0;
  for (; nowMs < 1_000; nowMs += everyMs) restMs = rest.after(1, 3);
  return restMs;
}

test("where few rows come, the next one is looked for at once", () => {
  expect(restAt(20)).toBe(1);
  expect(restAt(10)).toBeLessThan(1.5);
});

test("the more rows come, the longer is the rest, up to 5 ms", () => {
  expect(restAt(5)).toBeGreaterThan(2);
  expect(restAt(5)).toBeLessThan(3);
  expect(restAt(1)).toBe(5);
});

test("rows that share a look count one by one", () => {
  let nowMs = 0;
  const rest = createLookRest(() => nowMs);
  expect(rest.after(100, 3)).toBe(5);
  nowMs = 1_000;
  expect(rest.after(1, 3)).toBe(1);
});

test("a look that found nothing rests for as long as it took", () => {
  const rest = createLookRest(() => 0);
  expect(rest.after(0, 0.2)).toBe(1);
  expect(rest.after(0, 3)).toBe(3);
  expect(rest.after(0, 80)).toBe(5);
});
