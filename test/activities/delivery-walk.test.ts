import { afterEach, expect, test, vi } from "vitest";
import { walkDeliveries } from "../../activities/delivery-walk.ts";

afterEach(() => void vi.restoreAllMocks());

/** Steps that end at the given ids, and the ids behind which they began. */
function scripted(steps: { changed: number; next: number | null }[]) {
  const asked: number[] = [];
  return {
    asked,
    step: async (after: number) => {
      asked.push(after);
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
  const slow = async (after: number) => {
    if (asked.length === 1) clock.mockReturnValue(3_000);
    return await step(after);
  };
  const first = await walkDeliveries(slow);
  expect(first).toEqual({ changed: 2, walk: { after: 20, changed: true } });
  expect(await walkDeliveries(step, first.walk)).toEqual({ changed: 0 });
  expect(asked).toEqual([0, 10, 20, 0]);
});
