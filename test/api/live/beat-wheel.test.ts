import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBeatWheel } from "../../../api/live/beat-wheel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createStreams(count: number) {
  return Array.from({ length: count }, () => ({ beat: vi.fn<() => void>() }));
}

const countsOf = (streams: ReturnType<typeof createStreams>) => [
  ...new Set(streams.map(({ beat }) => beat.mock.calls.length)),
];

test("each stream gets one beat in an interval, from one timer", () => {
  const wheel = createBeatWheel(15_000);
  const streams = createStreams(600);
  for (const stream of streams) wheel.add(stream);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(15_000);
  expect(countsOf(streams)).toEqual([1]);
  vi.advanceTimersByTime(30_000);
  expect(countsOf(streams)).toEqual([3]);
});

test("no turn beats more than its share of the streams", () => {
  const wheel = createBeatWheel(15_000);
  const streams = createStreams(600);
  for (const stream of streams) wheel.add(stream);
  vi.advanceTimersByTime(250);
  expect(streams.filter(({ beat }) => beat.mock.calls.length > 0)).toHaveLength(10);
});

test("a stream that has left gets no beat, and the last one takes the timer with it", () => {
  const wheel = createBeatWheel(1_000);
  const [left, other] = createStreams(2);
  if (left === undefined || other === undefined) throw new Error("There are two streams.");
  wheel.add(left);
  wheel.add(other);
  wheel.remove(left);
  vi.advanceTimersByTime(2_000);
  expect([left.beat.mock.calls.length, other.beat.mock.calls.length]).toEqual([0, 2]);
  wheel.remove(other);
  wheel.remove(other);
  expect(vi.getTimerCount()).toBe(0);
  wheel.add(left);
  vi.advanceTimersByTime(1_000);
  expect(left.beat.mock.calls.length).toBe(1);
});
