import { createHostLimiter } from "../../../activities/limits/host-limiter.ts";
import { startSink } from "../../support/sink.ts";
import type { ServerResponse } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { plainNames } from "../../../core/model/installation.ts";
import type { WorkflowCommand } from "../../../core/model/workflow/workflow-command.ts";
import { claimDue } from "../../support/outbox.ts";
import { request } from "../../../core/services/outbox/outbox.ts";
import { startWorkflow } from "../../../worker/engine/start-workflow.ts";
import { asSystem, createTestSubscription } from "../../support/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { holdTimers } from "../../support/held-timers.ts";
import { countsOf, createRelayFixture, type RelayFixture } from "./relay-fixture.ts";
import { useFixture } from "../../support/use-fixture.ts";

const fixture = useFixture(createRelayFixture);
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  fixture.sink.posts.length = 0;
  await fixture.database.dataSource.query("DELETE FROM outbox");
});

/** A relay that ends with the test. */
function relay(given: Parameters<RelayFixture["relay"]>[0] = {}) {
  const started = fixture.relay(given);
  stops.push(() => started.stop());
  return started;
}

function arrivedIds(): string[] {
  return fixture.sink.posts.map(({ headers }) => String(headers["x-service-event-id"])).toSorted();
}

async function runsOf(eventIds: string[]): Promise<string[]> {
  const runs: string[] = [];
  for await (const { workflowId, runId } of fixture.client.workflow.list()) {
    if (eventIds.some((id) => workflowId.includes(id))) runs.push(runId);
  }
  return runs;
}

async function claim(limit: number) {
  return await asSystem(fixture.database.dataSource, 0, (tx) => claimDue(tx, limit));
}

async function expireLeases(): Promise<void> {
  await fixture.database.dataSource.query(
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
  await asSystem(fixture.database.dataSource, fixture.accountId, (tx) => request(tx, command));
}

test("three relays at once start each of 200 deliveries once, and each is posted once", async () => {
  const eventIds = await fixture.publish(200);
  const relays = [relay(), relay(), relay()];
  await eventually(async () => {
    expect(arrivedIds()).toEqual(eventIds.toSorted());
    expect(await fixture.outbox()).toEqual([]);
  });
  await eventually(async () => expect(await runsOf(eventIds)).toHaveLength(200));
  const counts = await Promise.all(relays.map(({ metrics }) => countsOf(metrics)));
  expect(counts.reduce((sum, { started = 0 }) => sum + started, 0)).toBe(200);
  expect(counts.every(({ known = 0, retried = 0 }) => known + retried === 0)).toBe(true);
});

test("a start whose row was not deleted is known the second time: one run, one POST", async () => {
  const eventIds = await fixture.publish(1);
  const [row] = await claim(1);
  if (row === undefined) throw new Error("no row");
  const { client, hostLimiter } = fixture;
  const options = {
    client,
    waitsMs: [1_000],
    naming: plainNames,
    isSearchable: () => false,
    hostLimiter,
  };
  expect(await startWorkflow(options, row)).toBe("started");
  await client.workflow.getHandle(String(row.workflow_id)).result();
  await expireLeases();

  const { metrics } = relay();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  await eventually(async () => expect(await countsOf(metrics)).toEqual({ known: 1 }));
  expect(arrivedIds()).toEqual(eventIds);
  await eventually(async () => expect(await runsOf(eventIds)).toHaveLength(1));
});

test("a row whose host has no free slot waits in the outbox, without a run", async () => {
  const eventIds = await fixture.publish(1);
  const [row] = await claim(1);
  if (row === undefined) throw new Error("no row");
  const { client, sink } = fixture;
  const hostLimiter = createHostLimiter();
  const host = new URL(sink.url).host;
  hostLimiter.acquire("other:1", host);
  const options = {
    client,
    waitsMs: [1_000],
    naming: plainNames,
    isSearchable: () => false,
    hostLimiter,
  };
  expect(await startWorkflow(options, row)).toEqual({ laterMs: 250 });
  expect(await runsOf(eventIds)).toEqual([]);
  hostLimiter.release("other:1", null);
  expect(hostLimiter.available(host)).toBe(1);
  expect(await startWorkflow(options, row)).toBe("started");
  await eventually(() => expect(arrivedIds()).toEqual(eventIds));
});

test("a start repeated while the run is under way joins it", async () => {
  const eventIds = await fixture.publish(1);
  let letGo: () => void = () => undefined;
  fixture.sink.answer = (_, response) => {
    letGo = () => void response.writeHead(204).end();
  };
  const [row] = await claim(1);
  if (row === undefined) throw new Error("no row");
  const { client, hostLimiter } = fixture;
  const options = {
    client,
    waitsMs: [1_000],
    naming: plainNames,
    isSearchable: () => false,
    hostLimiter,
  };
  await startWorkflow(options, row);
  await eventually(() => expect(fixture.sink.posts).toHaveLength(1));
  await expireLeases();
  relay();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  letGo();
  fixture.sink.answer = (_, response) => void response.writeHead(204).end();
  expect(await fixture.client.workflow.getHandle(String(row.workflow_id)).result()).toEqual({
    state: "delivered",
  });
  expect(arrivedIds()).toEqual(eventIds);
});

test("a host that hangs holds its few slots, and others get all that is theirs meanwhile", async () => {
  const { accountId, database, sink } = fixture;
  const healthy = await startSink();
  // By name, so that it is another host than the one that hangs.
  const url = `${healthy.url.replace("127.0.0.1", "localhost")}/hook`;
  const { id } = await createTestSubscription(database.dataSource, accountId, { url });
  const held: ServerResponse[] = [];
  sink.answer = (_, response) => void held.push(response);
  const eventIds = await fixture.publish(60);
  relay();
  try {
    await eventually(() => expect(healthy.posts).toHaveLength(60));
    expect(held.length).toBeGreaterThan(0);
    // The most that a host can have come to.
    expect(held.length).toBeLessThanOrEqual(50);
  } finally {
    sink.answer = (_, response) => void response.writeHead(204).end();
    for (const response of held) response.writeHead(204).end();
    await database.dataSource.query("UPDATE subscriptions SET state = 'deleted' WHERE id = ?", [
      id,
    ]);
  }
  await eventually(() => expect(arrivedIds()).toEqual(eventIds.toSorted()));
  await healthy.stop();
});

test("rows claimed by a relay that died are free again when its lease ends, not before", async () => {
  const eventIds = await fixture.publish(5);
  expect(await claim(100)).toHaveLength(5);
  expect(await relay().relayOnce()).toMatchObject({ rows: 0, more: false, full: false });
  const rows = await fixture.outbox();
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
  const { dataSource } = fixture.database;
  let commit: () => void = () => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  let early = "";
  const slow = asSystem(dataSource, fixture.accountId, async (tx) => {
    early = await fixture.publishIn(tx);
    await mayCommit;
  });
  await eventually(() => expect(early).not.toBe(""));
  const [late = ""] = await fixture.publish(1);
  await eventually(() => expect(arrivedIds()).toEqual([late]));
  commit();
  await slow;
  await eventually(() => expect(arrivedIds()).toEqual([early, late].toSorted()));
});

test("a request that Temporal refuses for good is set aside, and the rows after it go on", async () => {
  await requestWorkflow(badCommand);
  const eventIds = await fixture.publish(3);
  const { metrics } = relay();
  await eventually(() => expect(arrivedIds()).toEqual(eventIds.toSorted()));
  const parked = {
    attempts: 1,
    last_error: "INVALID_ARGUMENT",
    parked_at: expect.any(Date),
    lease_until: null,
  };
  await eventually(async () =>
    expect(await fixture.outbox()).toEqual([expect.objectContaining(parked)]),
  );
  expect(await countsOf(metrics)).toMatchObject({ parked: 1, started: 3 });
});

test("an outbox row whose delivery is gone is set aside", async () => {
  await fixture.publish(1);
  await fixture.database.dataSource.query("UPDATE outbox SET delivery_id = 999999");
  relay();
  await eventually(async () => {
    expect(await fixture.outbox()).toEqual([expect.objectContaining({ last_error: "ROW_GONE" })]);
  });
  expect(fixture.sink.posts).toEqual([]);
});

test("a server that knows no search attribute of ours gets the run without them", async () => {
  const eventIds = await fixture.publish(1);
  relay({ isSearchable: () => true });
  await eventually(() => expect(arrivedIds()).toEqual(eventIds));
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
});

test("a row that fails in a way nobody foresaw waits ever longer and holds up no other", async () => {
  await fixture.publish(1);
  // Temporal's client cannot serialise this, and says so before anything is sent.
  const oddWaits = { toJSON: () => 1n } as unknown as number;
  relay({ waitsMs: [oddWaits] });
  await eventually(async () => {
    const [row] = await fixture.outbox();
    expect(row?.attempts).toBeGreaterThan(1);
  });
  await requestWorkflow({
    ...badCommand,
    workflowId: "cancel-deliveries-subscription-0",
    input: { accountId: fixture.accountId, subscriptionId: 0 },
  });
  const handle = fixture.client.workflow.getHandle("cancel-deliveries-subscription-0");
  expect(await eventually(() => handle.result())).toEqual({ cancelled: 0 });
  const left = [expect.objectContaining({ parked_at: null, last_error: expect.any(String) })];
  await eventually(async () => expect(await fixture.outbox()).toEqual(left));
});

test("a start that Temporal is slow to answer keeps neither the pace nor the rows of those beside it", async ({
  onTestFinished,
}) => {
  let answerSlow: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => (answerSlow = resolve));
  const start = vi.spyOn(fixture.client.workflow, "start");
  start.mockImplementation(async (_, { workflowId }) => {
    if (workflowId === "one-0") await slow;
    return {} as never;
  });
  // The limit of a start never passes.
  const limits = holdTimers(5_000);
  onTestFinished(() => {
    start.mockRestore();
    limits.mockRestore();
  });
  // More than may be being started at once.
  for (let n = 0; n < 100; n += 1) await requestWorkflow({ ...badCommand, workflowId: `one-${n}` });
  relay();
  try {
    await eventually(async () => expect(await fixture.outbox()).toHaveLength(1));
  } finally {
    answerSlow();
  }
  const beside = start.mock.calls.filter(([, { workflowId }]) => workflowId !== "one-0");
  expect(beside).toHaveLength(99);
  expect(limits.mock.calls.map(([, ms]) => ms)).toContain(5_000);
});

test("few runs wait for their first attempt at once, however many hosts are due, which is a crowd after a while", async ({
  onTestFinished,
}) => {
  const { accountId, database, client } = fixture;
  for (let n = 1; n < 20; n += 1) {
    const url = `http://127.0.0.1:${20_000 + n}/hook`;
    await createTestSubscription(database.dataSource, accountId, { url });
  }
  let letGo: () => void = () => undefined;
  const mayStart = new Promise<void>((resolve) => (letGo = resolve));
  const start = vi.spyOn(client.workflow, "start");
  onTestFinished(() => start.mockRestore());
  start.mockImplementation(async () => {
    await mayStart;
    return {} as never;
  });
  await fixture.publish(1);
  await database.dataSource.query(
    "UPDATE outbox SET available_at = available_at - INTERVAL 1 SECOND",
  );
  const hostLimiter = createHostLimiter();
  const crowd = vi.spyOn(hostLimiter, "markBacklog");
  const started = relay({ hostLimiter });
  await eventually(() => expect(start.mock.calls.length).toBeGreaterThanOrEqual(16));
  expect(crowd).toHaveBeenCalled();
  expect(await started.relayOnce()).toMatchObject({ rows: 0, more: false, full: false });
  expect(start).toHaveBeenCalledTimes(16);
  letGo();
  await eventually(async () => expect(await fixture.outbox()).toEqual([]));
  expect(start).toHaveBeenCalledTimes(20);
  await database.dataSource.query("UPDATE subscriptions SET state = 'deleted' WHERE id <> ?", [
    fixture.subscriptionId,
  ]);
});
