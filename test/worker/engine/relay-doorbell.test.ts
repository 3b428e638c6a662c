import { afterEach, expect, test } from "vitest";
import { createHostLimiter } from "../../../activities/limits/host-limiter.ts";
import { createBell, type Bell, type PauseLimits } from "../../../worker/engine/bell.ts";
import { eventually } from "../../support/eventually.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { createRelayFixture, type RelayFixture } from "./relay-fixture.ts";

const fixture = useFixture(createRelayFixture);
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  fixture.sink.posts.length = 0;
  await fixture.database.dataSource.query("DELETE FROM outbox");
});

const calmMs = 400;

/**
 * A relay with a bell. Its pauses are kept, the newest last.
 * @param slow the calm polls never come, so that only a ring ends such a pause
 */
function relayWith(
  bell: Bell,
  given: Parameters<RelayFixture["relay"]>[0] = {},
  { slow = false } = {},
) {
  const pauses: PauseLimits[] = [];
  const watched: Bell = {
    ...bell,
    async pause(limits, stopping) {
      pauses.push(limits);
      const mostMs = slow && limits.mostMs === calmMs ? 600_000 : limits.mostMs;
      await bell.pause({ ...limits, mostMs }, stopping);
    },
  };
  const relay = fixture.relay({ ...given, bell: watched });
  stops.push(() => relay.stop());
  const claimed = async () => {
    const { values } = await relay.metrics.outboxClaimed.get();
    return Object.fromEntries(
      values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels["by"], value]),
    );
  };
  return { relay, pauses, claimed };
}

function greetedBell(): Bell {
  const bell = createBell();
  bell.greet();
  return bell;
}

async function expectArrived(eventIds: string[]): Promise<void> {
  await eventually(() => {
    const arrived = fixture.sink.posts.map(({ headers }) => String(headers["x-service-event-id"]));
    expect(arrived.toSorted()).toEqual(eventIds.toSorted());
  });
}

test("an idle relay that is rung polls every 400 ms, and a ring has it look at once", async () => {
  const bell = greetedBell();
  const { pauses, claimed } = relayWith(bell, {}, { slow: true });
  await eventually(() => expect(pauses.at(-1)).toMatchObject({ mostMs: calmMs }));
  const eventIds = await fixture.publish(1);
  bell.ring(0);
  await expectArrived(eventIds);
  expect(await claimed()).toEqual({ ring: 1 });
});

test("a relay that nobody greets polls as fast as ever, and takes rings all the same", async () => {
  const bell = createBell();
  const { pauses } = relayWith(bell);
  await eventually(() => expect(pauses.length).toBeGreaterThan(30));
  expect(Math.max(...pauses.map(({ mostMs }) => mostMs))).toBeLessThanOrEqual(50);
  expect(pauses.every(({ ringAfterMs }) => ringAfterMs !== null && ringAfterMs <= 5)).toBe(true);
});

test("rows whose ring was lost are found by the poll, and the relay polls fast from then on", async () => {
  const bell = greetedBell();
  const { pauses, claimed } = relayWith(bell);
  await eventually(() => expect(pauses.at(-1)).toMatchObject({ mostMs: calmMs }));
  const eventIds = await fixture.publish(2);
  await expectArrived(eventIds);
  expect(await claimed()).toEqual({ poll: 2 });
  await eventually(() => expect(bell.isReliable()).toBe(false));
  const before = pauses.length;
  await eventually(() => expect(pauses.length).toBeGreaterThan(before + 20));
  expect(Math.max(...pauses.slice(before).map(({ mostMs }) => mostMs))).toBeLessThanOrEqual(50);
});

test("a thousand rings without a row change nothing", async () => {
  const bell = greetedBell();
  const { pauses, claimed } = relayWith(bell);
  await eventually(() => expect(pauses.at(-1)).toMatchObject({ mostMs: calmMs }));
  const before = pauses.length;
  for (let n = 0; n < 1_000; n += 1) bell.ring(0);
  await eventually(() => expect(pauses.length).toBeGreaterThan(before));
  expect(pauses.length).toBeLessThan(before + 10);
  expect(bell.isReliable()).toBe(true);
  expect(await claimed()).toEqual({});
});

test("a row that waits for its time is claimed when it is due, without a ring", async () => {
  const eventIds = await fixture.publish(1);
  await fixture.database.dataSource.query(
    "UPDATE outbox SET available_at = UTC_TIMESTAMP(3) + INTERVAL 2 SECOND",
  );
  const bell = greetedBell();
  const { pauses, claimed } = relayWith(bell);
  await eventually(async () => expect(await claimed()).toEqual({ poll: 1 }));
  expect(pauses.length).toBeLessThan(30);
  expect(bell.isReliable()).toBe(true);
  await expectArrived(eventIds);
});

test("while due rows wait for a slot of their host, the relay polls fast", async () => {
  const bell = greetedBell();
  const busy = { ...createHostLimiter(), available: () => 0 };
  const eventIds = await fixture.publish(1);
  bell.ring(0);
  const { pauses } = relayWith(bell, { hostLimiter: busy });
  await eventually(() => expect(pauses.length).toBeGreaterThan(20));
  expect(Math.max(...pauses.map(({ mostMs }) => mostMs))).toBeLessThanOrEqual(50);
  expect(bell.isReliable()).toBe(true);
  relayWith(bell);
  await expectArrived(eventIds);
});
