import { expect, test } from "vitest";
import { createFirstAttempts } from "../../worker/first-attempts.ts";

test("room shrinks with every run that is started and grows as its first attempt begins", () => {
  const attempts = createFirstAttempts(2);
  attempts.expect("1:1");
  attempts.expect("2:1");
  expect(attempts.room()).toBe(0);
  attempts.settle("1:1");
  expect(attempts.room()).toBe(1);
  // Told of twice, or from elsewhere, a run counts once.
  attempts.settle("1:1");
  attempts.settle("9:1");
  expect(attempts.room()).toBe(1);
});

test("a run that never gets to its first attempt here is forgotten after 15 s", () => {
  let now = 0;
  const attempts = createFirstAttempts(2, () => now);
  attempts.expect("1:1");
  now = 10_000;
  attempts.expect("2:1");
  now = 14_999;
  expect(attempts.room()).toBe(0);
  now = 15_000;
  expect(attempts.room()).toBe(1);
  now = 25_000;
  expect(attempts.room()).toBe(2);
});
