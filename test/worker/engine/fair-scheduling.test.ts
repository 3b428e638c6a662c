import { expect, test } from "vitest";
import {
  accountOf,
  channelOf,
  deliveryPartition,
  hasHost,
  hostOf,
  limitedSubscriptionOf,
} from "../../../core/model/partition-key.ts";
import { isAtLimit, plan, type PollState } from "../../../worker/engine/fair-scheduling.ts";

const due = (keys: string[]) => keys.map((key) => ({ key, ageMs: 0 }));
const hosts = ["a", "b", "c", "d", "e", "dead"];
const slotsOf = (slots: Record<string, number>) =>
  new Map(hosts.map((host) => [host, slots[host] ?? 10]));

/** A poll with room for `most` rows of each kind, and for ten at each host. */
function stateOf(most: number, state: Partial<PollState> = {}): PollState {
  return {
    turns: { lastAccount: 0, lastRequester: 0, lastSender: 0 },
    bursting: false,
    attemptsUnderWay: 0,
    starts: most,
    runs: most,
    slots: slotsOf({}),
    addresses: new Map(),
    subscriptionSlots: new Map(),
    requests: { available: most, busyAccounts: new Set() },
    sends: null,
    ...state,
  };
}

const quotasOf = (keys: string[], state: PollState) =>
  Object.fromEntries(plan(due(keys), state).quotas.map(({ key, limit }) => [key, limit]));
const limits = (keys: string[], slots: Record<string, number>, most: number) =>
  quotasOf(keys, stateOf(most, { slots: slotsOf(slots) }));

test("a key names its account and its host, with the port where there is one", () => {
  expect(hostOf("7:hooks.example:8443")).toBe("hooks.example:8443");
});

test("a key of a subscription with a limit of its own names its account, its host and the subscription", () => {
  const url = "https://hooks.example:8443/x";
  const target = { subscriptionId: 12, url, maxConcurrency: 3 };
  const key = deliveryPartition(7, target);
  expect([accountOf(key), hostOf(key), limitedSubscriptionOf(key)]).toEqual([
    7,
    "hooks.example:8443",
    12,
  ]);
  const without = deliveryPartition(7, { ...target, maxConcurrency: null });
  expect([without, limitedSubscriptionOf(without)]).toEqual(["7:hooks.example:8443", null]);
  expect(["-", "-:7", "-:7:3", "7:"].map(limitedSubscriptionOf)).toEqual([null, null, null, null]);
});

test("names of one address share its free slots in a poll, and other names keep theirs", () => {
  const address = { key: "192.0.2.1", available: 3 };
  const addresses = new Map([
    ["a", address],
    ["b", address],
  ]);
  const quotas = quotasOf(["1:a", "1:b", "2:b", "1:c"], stateOf(20, { addresses }));
  expect(quotas).toEqual({ "1:a": 1, "1:b": 1, "2:b": 1, "1:c": 10 });
});

test("a subscription at its limit leaves its host to the others, and gets what it may have", () => {
  const keys = ["1:a", "1:a#7", "1:a#8"];
  const subscriptionSlots = new Map([
    [7, 1],
    [8, 0],
  ]);
  expect(quotasOf(keys, stateOf(20, { subscriptionSlots }))).toEqual({ "1:a": 9, "1:a#7": 1 });
  const slots = slotsOf({ a: 0 });
  expect(quotasOf(keys, stateOf(20, { subscriptionSlots, slots }))).toEqual({});
});

test("a subscription that has moved has one limit for both of its hosts", () => {
  const subscriptionSlots = new Map([[7, 3]]);
  const quotas = quotasOf(["1:a#7", "1:b#7"], stateOf(20, { subscriptionSlots }));
  expect(quotas).toEqual({ "1:a#7": 2, "1:b#7": 1 });
});

test("one key gets all there is, up to what its host has room for", () => {
  expect(limits(["1:a"], { a: 50 }, 20)).toEqual({ "1:a": 20 });
  expect(limits(["1:a"], { a: 3 }, 20)).toEqual({ "1:a": 3 });
  expect(limits(["1:a"], { a: 0 }, 20)).toEqual({});
});

test("requests go first and take nothing from deliveries", () => {
  expect(plan(due(["1:a", "-:1"]), stateOf(4)).quotas).toEqual([
    { key: "-:1", limit: 4 },
    { key: "1:a", limit: 4 },
  ]);
});

test("requests are shared among accounts, and those of an older version count as one more", () => {
  const keys = ["-", "-:1", "-:10", "-:2"];
  expect(plan(due(keys), stateOf(7))).toEqual({
    quotas: [
      { key: "-:1", limit: 2 },
      { key: "-:2", limit: 2 },
      { key: "-:10", limit: 2 },
      { key: "-", limit: 1 },
    ],
    toHosts: 7,
    turns: { lastAccount: 0, lastRequester: 10, lastSender: 0 },
  });
  // Where there is room for one, accounts take turns.
  expect(turnsOf(5, keys, {}, 1)).toEqual([["-:1"], ["-:2"], ["-:10"], ["-"], ["-:1"]]);
});

test("at the limit of requests an account without one in flight gets one", () => {
  const requests = { available: 0, busyAccounts: new Set([1]) };
  expect(quotasOf(["-:1", "-:2", "-:3"], stateOf(10, { requests }))).toEqual({
    "-:2": 1,
    "-:3": 1,
  });
});

test("a key of requests leads to no host, with an account or without", () => {
  expect(["-", "-:7", "7:", "7:a"].map(hasHost)).toEqual([false, false, false, true]);
});

test("a host that hangs leaves its share to the others", () => {
  expect(limits(["1:dead", "1:a", "1:b"], { dead: 0 }, 10)).toEqual({ "1:a": 5, "1:b": 5 });
});

test("a host that the limiter was not asked for gets nothing", () => {
  expect(limits(["1:unknown", "1:a"], {}, 4)).toEqual({ "1:a": 4 });
});

test("accounts share alike, however many hosts one of them has", () => {
  const keys = ["1:a", "1:b", "1:c", "1:d", "2:e"];
  expect(limits(keys, {}, 8)).toEqual({ "1:a": 1, "1:b": 1, "1:c": 1, "1:d": 1, "2:e": 4 });
});

test("two accounts that post to one host share its room", () => {
  expect(limits(["1:a", "2:a"], { a: 4 }, 20)).toEqual({ "1:a": 2, "2:a": 2 });
});

test("what leads to hosts keeps to the room of all of them together, and leaves the rest to what asks none", () => {
  const keys = ["1:", "1:a", "1:b", "1:c", "2:d", "2:e"];
  expect(plan(due(keys), stateOf(8, { runs: 3 }))).toMatchObject({
    quotas: [
      { key: "1:", limit: 5 },
      { key: "2:d", limit: 1 },
      { key: "1:a", limit: 1 },
      { key: "2:e", limit: 1 },
    ],
    toHosts: 3,
  });
  expect(plan(due(keys), stateOf(8, { runs: 0 })).quotas).toEqual([{ key: "1:", limit: 8 }]);
});

test("in burst mode attempts need no start, and 600 may be in flight", () => {
  const slots = slotsOf({ a: 1_000 });
  const burst = stateOf(2, { bursting: true, slots, attemptsUnderWay: 590 });
  expect(plan(due(["-:1", "1:a"]), burst)).toMatchObject({
    quotas: [
      { key: "-:1", limit: 2 },
      { key: "1:a", limit: 10 },
    ],
    toHosts: 10,
  });
  expect(quotasOf(["1:a"], { ...burst, attemptsUnderWay: 600 })).toEqual({});
  // Requests that are only for Temporal still need a start.
  expect(quotasOf(["1:"], burst)).toEqual({ "1:": 2 });
});

test("with an open circuit breaker nothing starts", () => {
  expect(plan(due(["-:1", "1:", "1:a"]), stateOf(8, { starts: 0 }))).toMatchObject({
    quotas: [],
    toHosts: 0,
  });
});

/** The partitions that get something in each of so many polls. */
function turnsOf(polls: number, keys: string[], slots: Record<string, number>, most: number) {
  let state = stateOf(most, { slots: slotsOf(slots) });
  return Array.from({ length: polls }, () => {
    const { quotas, turns } = plan(due(keys), state);
    state = { ...state, turns };
    return quotas.map(({ key }) => key);
  });
}

test("where there is room for one, accounts take turns from poll to poll, however many hosts one has", () => {
  // As the index lists them: account 10 before account 2.
  const keys = ["1:a", "1:b", "1:c", "10:d", "2:e"];
  expect(turnsOf(4, keys, {}, 1)).toEqual([["1:a"], ["2:e"], ["10:d"], ["1:a"]]);
  expect(turnsOf(3, keys, {}, 2)).toEqual([
    ["1:a", "2:e"],
    ["10:d", "1:a"],
    ["2:e", "10:d"],
  ]);
});

test("one slot at a host that two accounts post to goes to each in turn, and to whoever is there", () => {
  expect(turnsOf(3, ["1:a", "2:a"], { a: 1 }, 20)).toEqual([["1:a"], ["2:a"], ["1:a"]]);
  const afterTwo = stateOf(1, { turns: { lastAccount: 2, lastRequester: 0, lastSender: 0 } });
  expect(quotasOf(["1:a", "3:c"], afterTwo)).toEqual({ "3:c": 1 });
  expect(quotasOf(["1:a"], afterTwo)).toEqual({ "1:a": 1 });
});

test("a poll that has room for nobody leaves the turn where it is", () => {
  const turns = { lastAccount: 2, lastRequester: 5, lastSender: 7 };
  expect(plan(due(["-:1", "1:a", "3:c"]), stateOf(0, { turns }))).toEqual({
    quotas: [],
    toHosts: 0,
    turns,
  });
  const noSlot = stateOf(5, { turns, slots: slotsOf({ a: 0 }) });
  expect(plan(due(["1:a"]), noSlot).turns).toEqual(turns);
});

test("the same partitions and the same state give the same plan", () => {
  const keys = due(["-:1", "-:2", "1:", "1:a", "2:a", "2:b"]);
  const state = stateOf(5, { slots: slotsOf({ a: 2 }) });
  expect(plan(keys, state)).toEqual(plan(keys, state));
});

test("messages of numbers are requests, until the relay hands them over: then the pace of each number counts", () => {
  const keys = ["-:1", "-:1:7", "-:1:8", "-:2:9"];
  expect(quotasOf(keys, stateOf(4))).toEqual({ "-:1": 1, "-:1:7": 1, "-:2:9": 2 });
  const rooms = new Map([
    ["-:1:7", 20],
    ["-:1:8", 0],
    ["-:2:9", 3],
  ]);
  expect(quotasOf(keys, stateOf(4, { sends: { underWay: 0, rooms } }))).toEqual({
    "-:1": 4,
    "-:1:7": 20,
    "-:2:9": 3,
  });
  const nearlyFull = { underWay: 196, rooms };
  expect(quotasOf(keys, stateOf(0, { sends: nearlyFull }))).toEqual({ "-:1:7": 2, "-:2:9": 2 });
});

test("a partition of messages names its account and its channel account", () => {
  expect([channelOf("-:7:12"), accountOf("-:7:12"), hasHost("-:7:12")]).toEqual([12, 7, false]);
  expect(["-", "-:7", "7:", "7:a:8443"].map(channelOf)).toEqual([null, null, null, null]);
});

test("a poll is at the limit of starts where it claimed all that may begin, or none may", () => {
  const atLimit = (keys: string[], state: PollState, claimedToHosts: number) =>
    isAtLimit(due(keys), state, { toHosts: state.runs, claimedToHosts });
  expect(atLimit(["1:a"], stateOf(4), 4)).toBe(true);
  expect(atLimit(["1:a"], stateOf(4), 3)).toBe(false);
  expect(atLimit(["1:a"], stateOf(0), 0)).toBe(true);
  // No row was due, or none whose host has a slot, or the relay needs no start.
  expect(atLimit(["-:1", "1:"], stateOf(0), 0)).toBe(false);
  expect(atLimit(["1:a"], stateOf(0, { slots: slotsOf({ a: 0 }) }), 0)).toBe(false);
  expect(atLimit(["1:a"], stateOf(4, { bursting: true }), 4)).toBe(false);
  const full = { subscriptionSlots: new Map([[7, 0]]) };
  expect(atLimit(["1:a#7"], stateOf(0, full), 0)).toBe(false);
  expect(atLimit(["1:a#7", "1:a"], stateOf(0, full), 0)).toBe(true);
});
