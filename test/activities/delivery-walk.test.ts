import { afterEach, expect, test, vi } from "vitest";
import { walkDeliveries } from "../../activities/delivery-walk.ts";

afterEach(() => void vi.restoreAllMocks());

/** Steps that end at the given ids, the ids behind which they began, and the most they may change. */
function scripted(steps: { changed: number; next: number | null }[]) {
  const asked: number[] = [];
  const bounds: number[] = [];
  return {
    asked,
    bounds,
    step: async (after: number, most: number) => {
      asked.push(after);
      bounds.push(most);
      return await Promise.resolve(steps[asked.length - 1] ?? { changed: 0, next: null });
    },
  };
}

test("one step that reaches the end is the whole walk", async () => {
  const { asked, step } = scripted([{ changed: 5, next: null }]);
  expect(await walkDeliveries(step)).toEqual({ changed: 5 });
  expect(asked).toEqual([0]);
});

test("a walk of several steps begins anew until it changes nothing", async () => {
  const { asked, step } = scripted([
    { changed: 0, next: 10 },
    { changed: 3, next: 20 },
    { changed: 0, next: null },
    { changed: 0, next: 10 },
    { changed: 1, next: null },
    { changed: 0, next: 10 },
    { changed: 0, next: null },
  ]);
  expect(await walkDeliveries(step)).toEqual({ changed: 4 });
  expect(asked).toEqual([0, 10, 20, 0, 10, 0, 10]);
});

test("after some time the rest is left to the next part, which goes on there", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const { asked, step } = scripted([
    { changed: 2, next: 10 },
    { changed: 0, next: 20 },
    { changed: 0, next: null },
  ]);
  const slow = async (after: number, most: number) => {
    if (asked.length === 1) clock.mockReturnValue(3_000);
    return await step(after, most);
  };
  const first = await walkDeliveries(slow);
  expect(first).toEqual({ changed: 2, walk: { after: 20, changed: true } });
  expect(await walkDeliveries(step, first.walk)).toEqual({ changed: 0 });
  expect(asked).toEqual([0, 10, 20, 0]);
});

test("a part with a bound changes no more deliveries, and the next part goes on there", async () => {
  const { asked, bounds, step } = scripted([
    { changed: 3, next: 10 },
    { changed: 2, next: 20 },
    { changed: 1, next: null },
  ]);
  const first = await walkDeliveries(step, undefined, 5);
  expect(first).toEqual({ changed: 5, walk: { after: 20, changed: true } });
  expect(await walkDeliveries(step, first.walk, 5)).toEqual({ changed: 1 });
  expect([asked, bounds]).toEqual([
    [0, 10, 20, 0],
    [5, 2, 5, 4],
  ]);
});

test("a part ends at a delivery that a step leaves for later, and the next part begins there", async () => {
  const { asked, step } = scripted([
    { changed: 2, next: 10 },
    { changed: 0, next: 10 },
    { changed: 1, next: null },
  ]);
  const first = await walkDeliveries(step, undefined, 5);
  expect(first).toEqual({ changed: 2, walk: { after: 10, changed: true } });
  expect(await walkDeliveries(step, first.walk, 5)).toEqual({ changed: 1 });
  expect(asked).toEqual([0, 10, 10, 0]);
});
