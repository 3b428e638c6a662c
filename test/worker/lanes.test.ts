import { expect, test } from "vitest";
import { hostOf, shareOut } from "../../worker/lanes.ts";

const room = (rooms: Record<string, number>) => (host: string) => rooms[host] ?? 10;
const limits = (lanes: string[], rooms: Record<string, number>, most: number) =>
  Object.fromEntries(
    shareOut(lanes, room(rooms), { deliveries: most, requests: most }).map(({ lane, limit }) => [
      lane,
      limit,
    ]),
  );

test("a lane names its account and its host, with the port where there is one", () => {
  expect(hostOf("7:hooks.example:8443")).toBe("hooks.example:8443");
});

test("one lane gets all there is, up to what its host has room for", () => {
  expect(limits(["1:a"], { a: 50 }, 20)).toEqual({ "1:a": 20 });
  expect(limits(["1:a"], { a: 3 }, 20)).toEqual({ "1:a": 3 });
  expect(limits(["1:a"], { a: 0 }, 20)).toEqual({});
});

test("requests go first and take nothing from deliveries", () => {
  expect(shareOut(["-", "1:a"], room({}), { deliveries: 4, requests: 4 })).toEqual([
    { lane: "-", limit: 4 },
    { lane: "1:a", limit: 4 },
  ]);
});

test("a host that hangs leaves its share to the others", () => {
  expect(limits(["1:dead", "1:a", "1:b"], { dead: 0 }, 10)).toEqual({ "1:a": 5, "1:b": 5 });
});

test("accounts share alike, however many hosts one of them has", () => {
  const lanes = ["1:a", "1:b", "1:c", "1:d", "2:e"];
  expect(limits(lanes, {}, 8)).toEqual({ "1:a": 1, "1:b": 1, "1:c": 1, "1:d": 1, "2:e": 4 });
});

test("two accounts that post to one host share its room", () => {
  expect(limits(["1:a", "2:a"], { a: 4 }, 20)).toEqual({ "1:a": 2, "2:a": 2 });
});
