import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isReachable } from "../../../worker/temporal.ts";
import { asSystem } from "../../support/accounts.ts";
import type { Posted } from "../../support/sink.ts";
import { eventually } from "../../support/eventually.ts";
import { holdTimers } from "../../support/held-timers.ts";
import { countsOf, createRelayFixture, startWire } from "./relay-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createRelayFixture);
const wire = useFixture(startWire);
let connection: NativeConnection;

beforeAll(async () => {
  connection = await NativeConnection.connect({ address: wire.address });
});

afterAll(async () => {
  await connection.close();
});

test("with Temporal out of reach rows stay in the outbox, and leave it when it is back", async () => {
  const { namespace } = fixture;
  const link = { connection, namespace };
  expect(await isReachable(link)).toBe(true);
  wire.cut();
  const limits = holdTimers(4_000);
  expect(await isReachable(link).finally(() => limits.mockRestore())).toBe(false);

  const relay = fixture.relay({ client: new Client({ connection, namespace }) });
  const eventIds = await fixture.publish(150);
  await eventually(async () => {
    const [row] = await fixture.outbox();
    expect(row).toMatchObject({ last_error: expect.stringMatching(/^GRPC_|^TemporalSilent$/) });
  });
  const waiting = await fixture.outbox();
  expect(waiting).toHaveLength(150);
  expect(waiting.every(({ parked_at: parked }) => parked === null)).toBe(true);
  expect(fixture.sink.posts).toEqual([]);

  wire.mend();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  await eventually(() => {
    const arrived = fixture.sink.posts.map(({ headers }) => String(headers["x-service-event-id"]));
    expect(arrived.toSorted()).toEqual(eventIds.toSorted());
  });
  await relay.stop();
  const counts = await countsOf(relay.metrics);
  expect(counts["retried"]).toBeGreaterThan(0);
  expect(counts["parked"]).toBeUndefined();
});

test("a relay that is stopped while Temporal is away ends within six seconds and keeps its rows", async () => {
  wire.cut();
  const relay = fixture.relay({ client: new Client({ connection, namespace: fixture.namespace }) });
  await fixture.publish(3);
  await eventually(async () => {
    expect((await fixture.outbox()).some(({ attempts }) => attempts > 0)).toBe(true);
  });
  const limits = holdTimers(6_000);
  await relay.stop().finally(() => limits.mockRestore());
  expect(await fixture.outbox()).toHaveLength(3);
  wire.mend();
});

test("in burst mode a row that Temporal may know of waits for Temporal, and is not tried meanwhile", async () => {
  const { namespace, sink, database, accountId } = fixture;
  sink.posts.length = 0;
  sink.answer = (_, response) => void response.writeHead(204).end();
  await database.dataSource.query("DELETE FROM outbox");
  wire.cut();
  const client = new Client({ connection, namespace });
  const relay = fixture.relay({ client, firstAttempt: "adaptive" });
  await fixture.publish(1);
  // The circuit breaker is open.
  await eventually(
    async () => expect((await countsOf(relay.metrics))["retried"]).toBeGreaterThan(0),
    20_000,
  );
  const ids = await asSystem(database.dataSource, accountId, async (tx) => {
    const published: string[] = [];
    for (let n = 0; n < 20; n += 1) published.push(await fixture.publishIn(tx));
    await tx.manager.query("UPDATE outbox SET attempts = 7 ORDER BY id DESC LIMIT 20");
    return published;
  });
  const told = async () =>
    await database.dataSource.query<{ lane: string; attempts: number }[]>(
      "SELECT lane, attempts FROM outbox WHERE attempts > 5",
    );
  await eventually(async () => {
    const rows = await told();
    expect(rows).toHaveLength(20);
    expect(new Set(rows.map(({ lane }) => lane))).toEqual(new Set([`${accountId}:`]));
  });
  expect(new Set((await told()).map(({ attempts }) => attempts))).toEqual(new Set([7]));
  wire.mend();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  await eventually(() => expect(sink.posts.map(idOf)).toEqual(expect.arrayContaining(ids)));
  expect(sink.posts).toHaveLength(21);
  await relay.stop();
});

test("in adaptive mode first attempts go on without Temporal, and runs for those that failed follow", async () => {
  const { namespace, sink, database } = fixture;
  sink.posts.length = 0;
  await database.dataSource.query("DELETE FROM outbox");
  await database.dataSource.query("DELETE FROM deliveries");
  const fails = (posted: Posted) =>
    posted.headers["x-service-attempt"] === "1" && failing.has(idOf(posted));
  const failing = new Set<string>();
  sink.answer = (posted, response) => void response.writeHead(fails(posted) ? 503 : 204).end();
  wire.cut();
  const waitsMs = [200, 60_000, 60_000, 60_000, 60_000, 60_000];
  const client = new Client({ connection, namespace });
  const { metrics } = fixture.relay({ client, waitsMs, firstAttempt: "adaptive" });
  for (const id of await fixture.publish(5)) failing.add(id);
  // Those that are on their way to Temporal when it goes stay with it; the relay makes all others.
  await eventually(
    async () => expect((await countsOf(metrics))["retried"]).toBeGreaterThan(0),
    20_000,
  );
  const eventIds = await fixture.publish(40);
  for (const id of eventIds.slice(0, 5)) failing.add(id);
  await eventually(() => {
    const arrived = sink.posts.map(idOf);
    expect(eventIds.every((id) => arrived.includes(id))).toBe(true);
  });
  await eventually(async () =>
    expect(await countsOf(metrics)).toMatchObject({ attempted: 35, failed: 5 }),
  );
  await eventually(async () => expect(await fixture.outbox()).toHaveLength(10));

  wire.mend();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  await eventually(async () => {
    const open = "SELECT id FROM deliveries WHERE state <> 'delivered'";
    expect(await database.dataSource.query(open)).toEqual([]);
  });
  const again = sink.posts.filter((posted) => posted.headers["x-service-attempt"] === "2");
  expect(again.map(idOf).toSorted()).toEqual([...failing].toSorted());
  expect(sink.posts).toHaveLength(45 + 10);
});

function idOf({ headers }: Posted): string {
  return String(headers["x-service-event-id"]);
}
