import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { WorkflowCommand } from "../../core/model/workflow-command.ts";
import { claimOutboxRows } from "../../core/services/outbox-claims.ts";
import { request } from "../../core/services/outbox.ts";
import type { FirstAttempts } from "../../worker/first-attempts.ts";
import { startWorkflow } from "../../worker/start-workflow.ts";
import { asSystem } from "../support/accounts.ts";
import { eventually } from "../support/eventually.ts";
import { countsOf, createYard, type Yard } from "./relay-fixture.ts";

let yard: Yard;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  yard = await createYard();
});

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  yard.sink.posts.length = 0;
  await yard.database.dataSource.query("DELETE FROM outbox");
});

afterAll(async () => {
  await yard.stop();
});

/** A relay that ends with the test. */
function relay(given: Parameters<Yard["relay"]>[0] = {}) {
  const started = yard.relay(given);
  stops.push(() => started.stop());
  return started;
}

function arrivedIds(): string[] {
  return yard.sink.posts.map(({ headers }) => String(headers["x-service-event-id"])).toSorted();
}

async function runsOf(eventIds: string[]): Promise<string[]> {
  const runs: string[] = [];
  for await (const { workflowId, runId } of yard.client.workflow.list()) {
    if (eventIds.some((id) => workflowId.includes(id))) runs.push(runId);
  }
  return runs;
}

async function claim(limit: number) {
  return await asSystem(yard.database.dataSource, 0, (tx) =>
    claimOutboxRows(tx, "delivery", limit),
  );
}

async function expireLeases(): Promise<void> {
  await yard.database.dataSource.query(
    "UPDATE outbox SET lease_until = UTC_TIMESTAMP(3), available_at = UTC_TIMESTAMP(3) WHERE lease_until IS NOT NULL",
  );
}

const badCommand: WorkflowCommand = {
  op: "start",
  workflow: "cancelDeliveries",
  workflowId: "x".repeat(5_000),
  taskQueue: "ops",
  input: { accountId: 1, subscriptionId: 1 },
  summary: "refused",
};

async function requestWorkflow(command: WorkflowCommand): Promise<void> {
  await asSystem(yard.database.dataSource, yard.accountId, (tx) => request(tx, command));
}

test("three relays at once start each of 200 deliveries once, and each is posted once", async () => {
  const eventIds = await yard.publish(200);
  const relays = [relay(), relay(), relay()];
  await eventually(async () => {
    expect(arrivedIds()).toEqual(eventIds.toSorted());
    expect(await yard.outbox()).toEqual([]);
  });
  await eventually(async () => expect(await runsOf(eventIds)).toHaveLength(200));
  const counts = await Promise.all(relays.map(({ metrics }) => countsOf(metrics)));
  expect(counts.reduce((sum, { started = 0 }) => sum + started, 0)).toBe(200);
  expect(counts.every(({ known = 0, retried = 0 }) => known + retried === 0)).toBe(true);
});

test("a start whose row was not deleted is known the second time: one run, one POST", async () => {
  const eventIds = await yard.publish(1);
  const [row] = await claim(1);
  if (row === undefined) throw new Error("no row");
  const { client, firstAttempts } = yard;
  const options = { client, waitsMs: [1_000], searchable: false, firstAttempts };
  expect(await startWorkflow(options, row)).toBe("started");
  await client.workflow.getHandle(String(row.workflow_id)).result();
  await expireLeases();

  const { metrics } = relay();
  await eventually(async () => expect(await yard.outbox()).toEqual([]));
  await eventually(async () => expect(await countsOf(metrics)).toEqual({ known: 1 }));
  expect(arrivedIds()).toEqual(eventIds);
  await eventually(async () => expect(await runsOf(eventIds)).toHaveLength(1));
});

test("a start repeated while the run is under way joins it", async () => {
  const eventIds = await yard.publish(1);
  let letGo: () => void = () => undefined;
  yard.sink.answer = (_, response) => {
    letGo = () => void response.writeHead(204).end();
  };
  const [row] = await claim(1);
  if (row === undefined) throw new Error("no row");
  const { client, firstAttempts } = yard;
  const options = { client, waitsMs: [1_000], searchable: false, firstAttempts };
  await startWorkflow(options, row);
  await eventually(() => expect(yard.sink.posts).toHaveLength(1));
  await expireLeases();
  relay();
  await eventually(async () => expect(await yard.outbox()).toEqual([]));
  letGo();
  yard.sink.answer = (_, response) => void response.writeHead(204).end();
  expect(await yard.client.workflow.getHandle(String(row.workflow_id)).result()).toEqual({
    state: "delivered",
  });
  expect(arrivedIds()).toEqual(eventIds);
});

test("a relay starts no more runs than may wait for their first attempt, and goes on as those begin", async () => {
  const eventIds = await yard.publish(60);
  const waiting = new Set<string>();
  let most = 0;
  const { firstAttempts } = yard;
  const counted: FirstAttempts = {
    room: () => Math.max(0, 4 - waiting.size),
    expect: (run) => {
      waiting.add(run);
      most = Math.max(most, waiting.size);
    },
    settle: (run) => void waiting.delete(run),
  };
  const settle = firstAttempts.settle;
  firstAttempts.settle = (run) => void (settle(run), waiting.delete(run));
  relay({ firstAttempts: counted });
  await eventually(() => expect(arrivedIds().toSorted()).toEqual(eventIds.toSorted()));
  firstAttempts.settle = settle;
  expect(most).toBe(4);
});

test("rows claimed by a relay that died are free again when its lease ends, not before", async () => {
  const eventIds = await yard.publish(5);
  expect(await claim(100)).toHaveLength(5);
  expect(await relay().relayOnce()).toEqual({ rows: 0, faulty: false, more: false });
  const rows = await yard.outbox();
  for (const { lease_until: lease, available_at: available } of rows) {
    expect(lease).toEqual(available);
    expect(available.getTime()).toBeGreaterThan(Date.now() + 5_000);
    expect(available.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  }
  await expireLeases();
  await eventually(() => expect(arrivedIds()).toEqual(eventIds.toSorted()));
});

test("a row of a transaction that commits late, with a lower id, is delivered", async () => {
  relay();
  const { dataSource } = yard.database;
  let commit: () => void = () => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  let early = "";
  const slow = asSystem(dataSource, yard.accountId, async (tx) => {
    early = await yard.publishIn(tx);
    await mayCommit;
  });
  await eventually(() => expect(early).not.toBe(""));
  const [late = ""] = await yard.publish(1);
  await eventually(() => expect(arrivedIds()).toEqual([late]));
  commit();
  await slow;
  await eventually(() => expect(arrivedIds()).toEqual([early, late].toSorted()));
});

test("a request that Temporal refuses for good is set aside, and the rows after it go on", async () => {
  await requestWorkflow(badCommand);
  const eventIds = await yard.publish(3);
  const { metrics } = relay();
  await eventually(() => expect(arrivedIds()).toEqual(eventIds.toSorted()));
  expect(await yard.outbox()).toEqual([
    expect.objectContaining({
      attempts: 1,
      last_error: "INVALID_ARGUMENT",
      parked_at: expect.any(Date),
      lease_until: null,
    }),
  ]);
  expect(await countsOf(metrics)).toMatchObject({ parked: 1, started: 3 });
});

test("an outbox row whose delivery is gone is set aside", async () => {
  await yard.publish(1);
  await yard.database.dataSource.query("UPDATE outbox SET delivery_id = 999999");
  relay();
  await eventually(async () => {
    expect(await yard.outbox()).toEqual([expect.objectContaining({ last_error: "ROW_GONE" })]);
  });
  expect(yard.sink.posts).toEqual([]);
});

test("a server that knows no search attribute of ours gets the run without them", async () => {
  const eventIds = await yard.publish(1);
  relay({ searchable: true });
  await eventually(() => expect(arrivedIds()).toEqual(eventIds));
  expect(await yard.outbox()).toEqual([]);
});

test("a row that fails in a way nobody foresaw waits ever longer and holds up no other", async () => {
  await yard.publish(1);
  // Temporal's client cannot serialise this, and says so before anything is sent.
  const oddWaits = { toJSON: () => 1n } as unknown as number;
  relay({ waitsMs: [oddWaits] });
  await eventually(async () => {
    const [row] = await yard.outbox();
    expect(row?.attempts).toBeGreaterThan(1);
  });
  await requestWorkflow({
    ...badCommand,
    workflowId: "cancel-deliveries-subscription-0",
    input: { accountId: yard.accountId, subscriptionId: 0 },
  });
  const handle = yard.client.workflow.getHandle("cancel-deliveries-subscription-0");
  expect(await eventually(() => handle.result())).toEqual({ cancelled: 0 });
  expect(await yard.outbox()).toEqual([
    expect.objectContaining({ parked_at: null, last_error: expect.any(String) }),
  ]);
});
