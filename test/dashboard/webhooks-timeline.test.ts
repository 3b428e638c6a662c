import { expect, test } from "vitest";
import { retryWaitsMs } from "../../core/model/workflow/delivery.ts";
import {
  shortWait,
  timelineOf,
  waitWeight,
} from "../../dashboard/src/features/webhooks/timeline.ts";

const start = Date.parse("2026-03-02T14:00:00.000Z");
const at = (seconds: number): string => new Date(start + seconds * 1_000).toISOString();

function attempt(number: number, seconds: number, status: number | null = 500, run = 1) {
  const error_class = status === null ? "timeout" : null;
  const duration_ms = status === null ? 8_000 : 1_000;
  return { run, number, started_at: at(seconds), duration_ms, status_code: status, error_class };
}

const delivery = {
  run: 1,
  first_number: 1,
  next_attempt_at: null,
  discard_at: null,
  waits_ms: [...retryWaitsMs],
};

test("waits are those between the end of an attempt and the start of the next", () => {
  const attempts = [attempt(1, 0), attempt(2, 31, null), attempt(3, 159, 204)];
  expect(timelineOf({ ...delivery, state: "delivered", attempts })).toEqual([
    { number: 1, outcome: "failed", waitMs: 30_000, waited: true },
    { number: 2, outcome: "failed", waitMs: 120_000, waited: true },
    { number: 3, outcome: "delivered", waitMs: null, waited: false },
  ]);
});

test("while it waits, the schedule's other attempts follow, and the wait under way is the delivery's own", () => {
  const facts = { ...delivery, state: "waiting" as const, next_attempt_at: at(46) };
  const steps = timelineOf({ ...facts, attempts: [attempt(1, 0)] });
  expect(steps[0]).toEqual({ number: 1, outcome: "failed", waitMs: 45_000, waited: false });
  expect(steps.slice(1).map(({ number, outcome, waitMs }) => [number, outcome, waitMs])).toEqual(
    [2, 3, 4, 5, 6].map((number) => [number, "planned", retryWaitsMs[number - 1]]),
  );
});

test("waits to come are those that the installation is set up with", () => {
  const facts = { ...delivery, state: "waiting" as const, next_attempt_at: at(2) };
  const waits_ms = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000];
  const steps = timelineOf({ ...facts, waits_ms, attempts: [attempt(1, 0)] });
  expect(steps.slice(1).map(({ waitMs }) => waitMs)).toEqual(waits_ms.slice(1));
});

test("the last wait ends in the discard", () => {
  const facts = { ...delivery, state: "waiting" as const, discard_at: at(1 + 86_400) };
  const attempts = [1, 2, 3, 4, 5, 6].map((number) => attempt(number, 0));
  const steps = timelineOf({ ...facts, attempts });
  expect(steps).toHaveLength(6);
  expect(steps.at(-1)).toMatchObject({ waitMs: 86_400_000, waited: false });
});

test("a run of its own after a hold shows its attempts alone, with the numbers they go on with", () => {
  const facts = { ...delivery, run: 2, first_number: 3, state: "queued" as const };
  const steps = timelineOf({ ...facts, attempts: [attempt(1, 0), attempt(2, 31)] });
  expect(steps.map(({ number }) => number)).toEqual([3, 4, 5, 6]);
});

test("an attempt under way has neither an outcome nor a wait", () => {
  const under = { ...attempt(1, 0), duration_ms: null, status_code: null };
  const [step] = timelineOf({ ...delivery, state: "sending", attempts: [under] });
  expect(step).toMatchObject({ outcome: "sending", waitMs: null });
});

test("a wait is told in its largest unit alone, so that labels fit", () => {
  const waits = [400, 30_000, 33_400, 172_000, 3_600_000, 22_000_000, 86_400_000];
  expect(waits.map(shortWait)).toEqual(["400 ms", "30 s", "33 s", "3 min", "1 h", "6 h", "24 h"]);
});

test("a longer wait is drawn wider, and the shortest is still seen", () => {
  const weights = retryWaitsMs.map(waitWeight);
  expect(weights).toEqual(weights.toSorted((a, b) => a - b));
  expect((weights[5] ?? 0) / (weights[0] ?? 1)).toBeLessThan(4);
});
