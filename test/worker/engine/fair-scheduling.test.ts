import { expect, test } from "vitest";
import { hasHost, hostOf } from "../../../core/model/partition-key.ts";
import { scheduleFairly } from "../../../worker/engine/fair-scheduling.ts";

const atFirst = { lastAccount: 0, lastRequester: 0, takeRequest: () => true };
const room = (rooms: Record<string, number>) => (host: string) => rooms[host] ?? 10;
const limits = (partitions: string[], rooms: Record<string, number>, most: number) =>
  Object.fromEntries(
    scheduleFairly(partitions, room(rooms), {
      deliveries: most,
      toHosts: most,
      requests: most,
      ...atFirst,
    }).quotas.map(({ key, limit }) => [key, limit]),
  );

test("a key names its account and its host, with the port where there is one", () => {
  expect(hostOf("7:hooks.example:8443")).toBe("hooks.example:8443");
});

test("one key gets all there is, up to what its host has room for", () => {
  expect(limits(["1:a"], { a: 50 }, 20)).toEqual({ "1:a": 20 });
  expect(limits(["1:a"], { a: 3 }, 20)).toEqual({ "1:a": 3 });
  expect(limits(["1:a"], { a: 0 }, 20)).toEqual({});
});

test("requests go first and take nothing from deliveries", () => {
  const most = { deliveries: 4, toHosts: 4, requests: 4, ...atFirst };
  expect(scheduleFairly(["-:1", "1:a"], room({}), most).quotas).toEqual([
    { key: "-:1", limit: 4 },
    { key: "1:a", limit: 4 },
  ]);
});

test("requests are shared among accounts, and those of an older version count as one more", () => {
  const bounds = { deliveries: 0, toHosts: 0, requests: 7, ...atFirst };
  const partitions = ["-", "-:1", "-:10", "-:2", "1:a"];
  const shares = scheduleFairly(partitions, room({}), bounds);
  expect(shares).toEqual({
    quotas: [
      { key: "-:1", limit: 2 },
      { key: "-:2", limit: 2 },
      { key: "-:10", limit: 2 },
      { key: "-", limit: 1 },
    ],
    lastAccount: 0,
    lastRequester: 10,
  });
  // Where there is room for one, accounts take turns.
  const turns: string[] = [];
  let lastRequester = 0;
  for (let look = 0; look < 5; look += 1) {
    const one = scheduleFairly(partitions, room({}), { ...bounds, requests: 1, lastRequester });
    ({ lastRequester } = one);
    turns.push(...one.quotas.map(({ key }) => key));
  }
  expect(turns).toEqual(["-:1", "-:2", "-:10", "-", "-:1"]);
});

test("a key of requests leads to no host, with an account or without", () => {
  expect(["-", "-:7", "7:", "7:a"].map(hasHost)).toEqual([false, false, false, true]);
});

test("a host that hangs leaves its share to the others", () => {
  expect(limits(["1:dead", "1:a", "1:b"], { dead: 0 }, 10)).toEqual({ "1:a": 5, "1:b": 5 });
});

test("accounts share alike, however many hosts one of them has", () => {
  const partitions = ["1:a", "1:b", "1:c", "1:d", "2:e"];
  expect(limits(partitions, {}, 8)).toEqual({ "1:a": 1, "1:b": 1, "1:c": 1, "1:d": 1, "2:e": 4 });
});

test("two accounts that post to one host share its room", () => {
  expect(limits(["1:a", "2:a"], { a: 4 }, 20)).toEqual({ "1:a": 2, "2:a": 2 });
});

test("what leads to hosts keeps to the room of all of them together, and leaves the rest to what asks none", () => {
  const partitions = ["1:", "1:a", "1:b", "1:c", "2:d", "2:e"];
  const bounds = { deliveries: 8, toHosts: 3, requests: 0, ...atFirst };
  expect(scheduleFairly(partitions, room({}), bounds).quotas).toEqual([
    { key: "1:", limit: 5 },
    { key: "2:d", limit: 1 },
    { key: "1:a", limit: 1 },
    { key: "2:e", limit: 1 },
  ]);
  expect(scheduleFairly(partitions, room({}), { ...bounds, toHosts: 0 }).quotas).toEqual([
    { key: "1:", limit: 8 },
  ]);
});

/** The partitions that get something in each of so many looks. */
function turns(looks: number, partitions: string[], rooms: Record<string, number>, most: number) {
  let lastAccount = 0;
  return Array.from({ length: looks }, () => {
    const bounds = { deliveries: most, toHosts: most, requests: 0, ...atFirst, lastAccount };
    const shares = scheduleFairly(partitions, room(rooms), bounds);
    ({ lastAccount } = shares);
    return shares.quotas.map(({ key }) => key);
  });
}

test("where there is room for one, accounts take turns from look to look, however many hosts one has", () => {
  // As the index lists them: account 10 before account 2.
  const partitions = ["1:a", "1:b", "1:c", "10:d", "2:e"];
  expect(turns(4, partitions, {}, 1)).toEqual([["1:a"], ["2:e"], ["10:d"], ["1:a"]]);
  expect(turns(3, partitions, {}, 2)).toEqual([
    ["1:a", "2:e"],
    ["10:d", "1:a"],
    ["2:e", "10:d"],
  ]);
});

test("one slot at a host that two accounts post to goes to each in turn, and to whoever is there", () => {
  expect(turns(3, ["1:a", "2:a"], { a: 1 }, 20)).toEqual([["1:a"], ["2:a"], ["1:a"]]);
  const left = { deliveries: 1, toHosts: 1, requests: 0, ...atFirst, lastAccount: 2 };
  expect(scheduleFairly(["1:a", "3:c"], room({}), left).quotas).toEqual([{ key: "3:c", limit: 1 }]);
  expect(scheduleFairly(["1:a"], room({}), left).quotas).toEqual([{ key: "1:a", limit: 1 }]);
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
  expect(scheduleFairly(["-:1", "1:a", "3:c"], room({}), none)).toEqual({
    quotas: [],
    lastAccount: 2,
    lastRequester: 5,
  });
  expect(
    scheduleFairly(["1:a"], room({ a: 0 }), { ...none, deliveries: 5, toHosts: 5 }).lastAccount,
  ).toBe(2);
});
