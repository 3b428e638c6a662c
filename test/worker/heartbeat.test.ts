import { beforeEach, expect, test } from "vitest";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { createLog } from "../../core/log.ts";
import { createRegistry } from "../../core/metrics.ts";
import { listLiveWorkers, recordHeartbeat } from "../../core/services/operations/heartbeats.ts";
import { requestAny } from "../support/outbox.ts";
import { version } from "../../core/version.ts";
import { newWorkerId, startHeartbeat } from "../../worker/heartbeat.ts";
import { asSystem } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const reached = { reachable: true, version: "1.31.0" };

beforeEach(async () => {
  await database.dataSource.query("DELETE FROM worker_heartbeats");
  await database.dataSource.query("DELETE FROM outbox");
});

async function liveWorkers() {
  return await asSystem(database.dataSource, 0, (tx) => listLiveWorkers(tx));
}

function beat(reachable: boolean) {
  const metrics = createWorkerMetrics(createRegistry());
  const startedAt = new Date();
  const told: string[] = [];
  const heartbeat = startHeartbeat({
    worker: { id: newWorkerId(startedAt), version, startedAt, doorbell: "127.0.0.1:4000" },
    setWorkers: (doorbells) => void told.push(...doorbells.map(({ address }) => address)),
    dataSource: database.dataSource,
    log: createLog("test", "silent"),
    metrics,
    lookAtTemporal: async () =>
      await Promise.resolve({ reachable, version: reachable ? "1.31.0" : null }),
  });
  return { metrics, told, stop: () => heartbeat.stop() };
}

test.each([true, false])("a worker tells at once that it is alive; Temporal: %s", async (given) => {
  const { stop } = beat(given);
  const [worker] = await eventually(async () => {
    const workers = await liveWorkers();
    expect(workers).toHaveLength(1);
    return workers;
  });
  stop();
  expect(worker).toEqual({
    id: expect.stringContaining(`:${process.pid}:`),
    version,
    temporal_reachable: given,
    temporal_version: given ? "1.31.0" : null,
    started_at: expect.any(String),
    seen_at: expect.any(String),
  });
});

test("a heartbeat announces the doorbell, and tells of all doorbells of live workers", async () => {
  const { dataSource } = database;
  const record = async (id: string, doorbell: string | null) => {
    const worker = { id, version, startedAt: new Date(), doorbell };
    await asSystem(dataSource, 0, (tx) => recordHeartbeat(tx, worker, reached));
  };
  await record("a", "10.0.0.5:4000");
  await record("b", null);
  await record("c", "10.0.0.6:4000");
  await record("c", "10.0.0.7:4000");
  await record("silent", "10.0.0.8:4000");
  await dataSource.query(
    "UPDATE worker_heartbeats SET seen_at = UTC_TIMESTAMP(3) - INTERVAL 25 SECOND WHERE id = 'silent'",
  );
  const { told, stop } = beat(true);
  await eventually(() =>
    expect(told.toSorted()).toEqual(["10.0.0.5:4000", "10.0.0.7:4000", "127.0.0.1:4000"]),
  );
  stop();
});

test("a heartbeat measures the outbox", async () => {
  await asSystem(database.dataSource, 1, (tx) => requestAny(tx));
  await database.dataSource.query(
    "UPDATE outbox SET created_at = UTC_TIMESTAMP(3) - INTERVAL 60 SECOND",
  );
  const { metrics, stop } = beat(true);
  await eventually(async () => {
    expect((await metrics.outboxRows.get()).values[0]?.value).toBe(1);
  });
  stop();
  const age = (await metrics.outboxOldestSeconds.get()).values[0]?.value;
  expect(age).toBeGreaterThanOrEqual(60);
  expect(age).toBeLessThan(75);
});

test("a worker that fell silent 20 s ago counts as gone", async () => {
  const { dataSource } = database;
  const record = async (id: string, secondsAgo: number) => {
    await asSystem(dataSource, 0, (tx) =>
      recordHeartbeat(tx, { id, version, startedAt: new Date(), doorbell: null }, reached),
    );
    await dataSource.query(
      "UPDATE worker_heartbeats SET seen_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND WHERE id = ?",
      [secondsAgo, id],
    );
  };
  await record("silent", 25);
  await record("alive", 5);
  expect((await liveWorkers()).map(({ id }) => id)).toEqual(["alive"]);
});

test("a worker that loses Temporal still says which version it was", async () => {
  const worker = { id: "one", version, startedAt: new Date(), doorbell: null };
  await asSystem(database.dataSource, 0, async (tx) => {
    await recordHeartbeat(tx, worker, reached);
    await recordHeartbeat(tx, worker, { reachable: false, version: null });
  });
  expect(await liveWorkers()).toMatchObject([
    { id: "one", temporal_reachable: false, temporal_version: "1.31.0" },
  ]);
});

test("a database that is away does not end the heartbeat", async () => {
  await database.dataSource.query("RENAME TABLE worker_heartbeats TO elsewhere");
  const { stop } = beat(true);
  await database.dataSource.query("RENAME TABLE elsewhere TO worker_heartbeats");
  await eventually(async () => expect(await liveWorkers()).toHaveLength(1));
  stop();
});
