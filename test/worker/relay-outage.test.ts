import { Client } from "@temporalio/client";
import { NativeConnection } from "@temporalio/worker";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isReachable } from "../../worker/temporal.ts";
import { eventually } from "../support/eventually.ts";
import { countsOf, createYard, startWire, type Wire, type Yard } from "./relay-fixture.ts";

let yard: Yard;
let wire: Wire;
let connection: NativeConnection;

beforeAll(async () => {
  yard = await createYard();
  wire = await startWire();
  connection = await NativeConnection.connect({ address: wire.address });
});

afterAll(async () => {
  await yard.stop();
  await connection.close();
  await wire.stop();
});

test("with Temporal out of reach rows stay in the outbox, and leave it when it is back", async () => {
  const { namespace } = yard;
  const link = { connection, namespace };
  expect(await isReachable(link)).toBe(true);
  wire.cut();
  const askedAt = performance.now();
  expect(await isReachable(link)).toBe(false);
  expect(performance.now() - askedAt).toBeLessThan(4_000);

  const relay = yard.relay({ client: new Client({ connection, namespace }) });
  const eventIds = await yard.publish(150);
  await eventually(async () => {
    const [row] = await yard.outbox();
    expect(row).toMatchObject({ last_error: expect.stringMatching(/^GRPC_|^TemporalSilent$/) });
  });
  const waiting = await yard.outbox();
  expect(waiting).toHaveLength(150);
  expect(waiting.every(({ parked_at: parked }) => parked === null)).toBe(true);
  expect(yard.sink.posts).toEqual([]);

  wire.mend();
  await eventually(async () => expect(await yard.outbox()).toEqual([]), 25_000);
  await eventually(() => {
    const arrived = yard.sink.posts.map(({ headers }) => String(headers["x-service-event-id"]));
    expect(arrived.toSorted()).toEqual(eventIds.toSorted());
  });
  const counts = await countsOf(relay.metrics);
  expect(counts["retried"]).toBeGreaterThan(0);
  expect(counts["parked"]).toBeUndefined();
});

test("a relay that is stopped while Temporal is away ends within six seconds and keeps its rows", async () => {
  wire.cut();
  const relay = yard.relay({ client: new Client({ connection, namespace: yard.namespace }) });
  await yard.publish(3);
  await eventually(async () => {
    expect((await yard.outbox()).some(({ attempts }) => attempts > 0)).toBe(true);
  });
  const startedAt = performance.now();
  await relay.stop();
  expect(performance.now() - startedAt).toBeLessThan(6_000);
  expect(await yard.outbox()).toHaveLength(3);
  wire.mend();
});
