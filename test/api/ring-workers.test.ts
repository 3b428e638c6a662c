import { afterEach, expect, test } from "vitest";
import { startRinging } from "../../api/ring-workers.ts";
import { createApiMetrics } from "../../api/metrics.ts";
import { hostLabel, parseSocketAddress } from "../../core/doorbell/address.ts";
import { createRingReader } from "../../core/doorbell/ring.ts";
import { createRegistry } from "../../core/metrics.ts";
import { recordHeartbeat } from "../../core/services/operations/heartbeats.ts";
import { insertWebhooks } from "../../core/services/channels/channel-webhooks.ts";
import { requestAny } from "../support/outbox.ts";
import { oneStatement, rehearse, systemOf } from "../../db/transaction.ts";
import { asSystem, testSecretBox } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startUdpEar, type UdpEar } from "../support/udp.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const workerId = `${hostLabel}:1:1700000000000`;
const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await database.dataSource.query("DELETE FROM worker_heartbeats");
});

async function startWorker(doorbell: string | null) {
  const worker = { id: workerId, version: "1.0.0", startedAt: new Date(), doorbell };
  await asSystem(database.dataSource, 0, (tx) =>
    recordHeartbeat(tx, worker, { reachable: true, version: null }),
  );
}

/** Rings a worker that only listens. @returns what it heard */
async function ringing() {
  const ear = await startUdpEar();
  await startWorker(ear.address);
  const metrics = createApiMetrics(createRegistry());
  stops.push(start(metrics), ear.stop);
  const read = createRingReader(testSecretBox, workerId);
  const heard = () => ear.heard.map((text) => read(Buffer.from(text, "latin1"))?.kind);
  await eventually(() => expect(heard()).toEqual(["hello"]));
  return { ear, heard, metrics };
}

function start(
  metrics: ReturnType<typeof createApiMetrics>,
  doorbellListen = parseSocketAddress("127.0.0.1:0"),
) {
  return startRinging({
    config: { doorbellListen },
    dataSource: database.dataSource,
    secretBox: testSecretBox,
    metrics,
  });
}

test("a worker is greeted, and rung after a commit with outbox rows, and after no other", async () => {
  const { heard, metrics } = await ringing();
  const failing = asSystem(database.dataSource, 1, async (tx) => {
    await requestAny(tx);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await rehearse(database.dataSource, systemOf(1), requestAny);
  await asSystem(database.dataSource, 1, async (tx) => await tx.manager.query("SELECT 1"));
  await asSystem(database.dataSource, 1, requestAny);
  await eventually(() => expect(heard()).toEqual(["hello", "ring"]));
  const { values } = await metrics.rings.get();
  expect(values.map(({ labels, value }) => [labels["result"], value])).toEqual([["sent", 2]]);
});

test("webhooks of a channel have a ring of their own", async () => {
  const { heard } = await ringing();
  await oneStatement(database.dataSource, systemOf(), async (tx) => {
    const ids = { accountId: 1, channelAppId: 1 };
    await insertWebhooks(tx, [{ ...ids, body: Buffer.from("{}"), receivedAt: tx.now }]);
  });
  await eventually(() => expect(heard()).toEqual(["hello", "channels"]));
  await asSystem(database.dataSource, 1, requestAny);
  await eventually(() => expect(heard()).toEqual(["hello", "channels", "ring"]));
});

test.each(["no doorbell", "a dead one"])(
  "a commit succeeds where the worker has %s",
  async (which) => {
    const ear = await startUdpEar();
    await ear.stop();
    await startWorker(which === "a dead one" ? ear.address : null);
    stops.push(start(createApiMetrics(createRegistry())));
    await asSystem(database.dataSource, 1, requestAny);
    await expect(asSystem(database.dataSource, 1, requestAny)).resolves.toBeUndefined();
  },
);

test("where it is off no worker is greeted or rung", async () => {
  const ear = await startUdpEar();
  await startWorker(ear.address);
  const metrics = createApiMetrics(createRegistry());
  stops.push(start(metrics, null), ear.stop);
  await asSystem(database.dataSource, 1, requestAny);
  await expectLast(ear);
  expect(ear.heard).toEqual(["last"]);
  expect((await metrics.rings.get()).values).toEqual([]);
});

test("after the end nobody is rung", async () => {
  const { ear, heard } = await ringing();
  await stops.shift()?.();
  await asSystem(database.dataSource, 1, requestAny);
  await expectLast(ear);
  expect(heard()).toEqual(["hello", undefined]);
});

/** Datagrams of loopback arrive in order: what was sent before the last one is here. */
async function expectLast(ear: UdpEar): Promise<void> {
  ear.send("last", parseSocketAddress(ear.address)?.port ?? 0);
  await eventually(() => expect(ear.heard.at(-1)).toBe("last"));
}
