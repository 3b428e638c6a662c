import { expect, test } from "vitest";
import { firstArrivals } from "../../tools/bench/arrivals.ts";

const post = (phone: string, at: number) => ({ eventId: `event of ${phone}`, phone, at });

test("each arrival stands with its own contact, and a second post of it does not count", () => {
  const posts = [post("2", 20), post("1", 30), post("2", 40)];
  expect(firstArrivals(posts, ["1", "2"])).toEqual([30, 20]);
});

test("an event that never arrived is told of, and not left out of the figures", () => {
  // Also where another, such as a late one of the measurement before, makes up the number.
  const posts = [post("1", 10), post("3", 30), post("0", 40)];
  expect(() => firstArrivals(posts, ["1", "2", "3"])).toThrow(
    "1 of 3 events did not arrive, such as 2's.",
  );
});
