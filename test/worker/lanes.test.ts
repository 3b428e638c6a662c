import { expect, test } from "vitest";
import { hostOf, leadsToHost, shareOut } from "../../worker/lanes.ts";

const atFirst = { lastAccount: 0, lastRequester: 0, takeRequest: () => true };
const room = (rooms: Record<string, number>) => (host: string) => rooms[host] ?? 10;
const limits = (lanes: string[], rooms: Record<string, number>, most: number) =>
  Object.fromEntries(
    shareOut(lanes, room(rooms), {
      deliveries: most,
      toHosts: most,
      requests: most,
      ...atFirst,
    }).quotas.map(({ lane, limit }) => [lane, limit]),
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
  const most = { deliveries: 4, toHosts: 4, requests: 4, ...atFirst };
  expect(shareOut(["-:1", "1:a"], room({}), most).quotas).toEqual([
    { lane: "-:1", limit: 4 },
    { lane: "1:a", limit: 4 },
  ]);
});

test("requests are shared among accounts, and those of an older version count as one more", () => {
  const bounds = { deliveries: 0, toHosts: 0, requests: 7, ...atFirst };
  const lanes = ["-", "-:1", "-:10", "-:2", "1:a"];
  const shares = shareOut(lanes, room({}), bounds);
  expect(shares).toEqual({
    quotas: [
      { lane: "-:1", limit: 2 },
      { lane: "-:2", limit: 2 },
      { lane: "-:10", limit: 2 },
      { lane: "-", limit: 1 },
    ],
    lastAccount: 0,
    lastRequester: 10,
  });
  // Where there is room for one, accounts take turns.
  const turns: string[] = [];
  let lastRequester = 0;
  for (let look = 0; look < 5; look += 1) {
    const one = shareOut(lanes, room({}), { ...bounds, requests: 1, lastRequester });
    ({ lastRequester } = one);
    turns.push(...one.quotas.map(({ lane }) => lane));
  }
  expect(turns).toEqual(["-:1", "-:2", "-:10", "-", "-:1"]);
});

test("a lane of requests leads to no host, with an account or without", () => {
  expect(["-", "-:7", "7:", "7:a"].map(leadsToHost)).toEqual([false, false, false, true]);
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

test("what leads to hosts keeps to the room of all of them together, and leaves the rest to what asks none", () => {
  const lanes = ["1:", "1:a", "1:b", "1:c", "2:d", "2:e"];
  const bounds = { deliveries: 8, toHosts: 3, requests: 0, ...atFirst };
  expect(shareOut(lanes, room({}), bounds).quotas).toEqual([
    { lane: "1:", limit: 5 },
    { lane: "2:d", limit: 1 },
    { lane: "1:a", limit: 1 },
    { lane: "2:e", limit: 1 },
  ]);
  expect(shareOut(lanes, room({}), { ...bounds, toHosts: 0 }).quotas).toEqual([
    { lane: "1:", limit: 8 },
  ]);
});

/** The lanes that get something in each of so many looks. */
function turns(looks: number, lanes: string[], rooms: Record<string, number>, most: number) {
  let lastAccount = 0;
  return Array.from({ length: looks }, () => {
    const bounds = { deliveries: most, toHosts: most, requests: 0, ...atFirst, lastAccount };
    const shares = shareOut(lanes, room(rooms), bounds);
    ({ lastAccount } = shares);
    return shares.quotas.map(({ lane }) => lane);
  });
}

test("where there is room for one, accounts take turns from look to look, however many hosts one has", () => {
  // As the index lists them: account 10 before account 2.
  const lanes = ["1:a", "1:b", "1:c", "10:d", "2:e"];
  expect(turns(4, lanes, {}, 1)).toEqual([["1:a"], ["2:e"], ["10:d"], ["1:a"]]);
  expect(turns(3, lanes, {}, 2)).toEqual([
    ["1:a", "2:e"],
    ["10:d", "1:a"],
    ["2:e", "10:d"],
  ]);
});

test("one slot at a host that two accounts post to goes to each in turn, and to whoever is there", () => {
  expect(turns(3, ["1:a", "2:a"], { a: 1 }, 20)).toEqual([["1:a"], ["2:a"], ["1:a"]]);
  const left = { deliveries: 1, toHosts: 1, requests: 0, ...atFirst, lastAccount: 2 };
  expect(shareOut(["1:a", "3:c"], room({}), left).quotas).toEqual([{ lane: "3:c", limit: 1 }]);
  expect(shareOut(["1:a"], room({}), left).quotas).toEqual([{ lane: "1:a", limit: 1 }]);
});

test("a look that has room for nobody leaves the turn where it is", () => {
  const none = {
    deliveries: 0,
    toHosts: 0,
    requests: 0,
    ...atFirst,
    lastAccount: 2,
    lastRequester: 5,
  };
  expect(shareOut(["-:1", "1:a", "3:c"], room({}), none)).toEqual({
    quotas: [],
    lastAccount: 2,
    lastRequester: 5,
  });
  expect(
    shareOut(["1:a"], room({ a: 0 }), { ...none, deliveries: 5, toHosts: 5 }).lastAccount,
  ).toBe(2);
});
