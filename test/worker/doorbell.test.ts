import { createSocket } from "node:dgram";
import { afterEach, expect, test } from "vitest";
import { createWorkerMetrics } from "../../activities/metrics.ts";
import { hostLabel, parseSocketAddress } from "../../core/doorbell/address.ts";
import { writeRing } from "../../core/doorbell/ring.ts";
import { createLog } from "../../core/log.ts";
import { createRegistry } from "../../core/metrics.ts";
import { createSecretBox, generateSecretKey } from "../../core/secrets.ts";
import { insertWebhooks } from "../../core/services/channels/channel-webhooks.ts";
import { requestAny } from "../support/outbox.ts";
import { openDoorbell, type DoorbellDeps } from "../../worker/doorbell.ts";
import type { Bell } from "../../worker/engine/bell.ts";
import { asSystem, testSecretBox } from "../support/accounts.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { startUdpEar, type UdpEar } from "../support/udp.ts";
import { useFixture } from "../support/use-fixture.ts";

const database = useFixture(createTestDatabase);
const ear = useFixture(startUdpEar);
const workerId = `${hostLabel}:1:1700000000000`;
const genuine = writeRing(testSecretBox, workerId, { kind: "ring", rank: 0 });
const stops: (() => void)[] = [];

afterEach(() => stops.splice(0).forEach((stop) => stop()));

async function open(config: Partial<DoorbellDeps["config"]> = {}, id = workerId) {
  const metrics = createWorkerMetrics(createRegistry());
  const doorbell = await openDoorbell({
    config: {
      databaseUrl: database.url,
      doorbellListen: { host: "127.0.0.1", port: 0 },
      doorbellAddress: null,
      ...config,
    },
    workerId: id,
    secretBox: testSecretBox,
    dataSource: database.dataSource,
    log: createLog("test", "silent"),
    metrics,
  });
  stops.push(doorbell.stop);
  const received = async () => {
    const { values } = await metrics.ringsReceived.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels["result"], value]));
  };
  return { ...doorbell, received };
}

/** Port of an open doorbell. */
function portOf({ address }: { address: string | null }): number {
  return parseSocketAddress(address ?? "")?.port ?? 0;
}

function send(datagram: Parameters<UdpEar["send"]>[0], to: { address: string | null }): void {
  ear.send(datagram, portOf(to));
}

/** The next look of a bell, once something has asked for it. */
async function nextReason({ bell }: { bell: Bell }) {
  await bell.pause({ mostMs: 10_000, ringAfterMs: 0 }, new AbortController().signal);
  return bell.beginLook();
}

async function commitRequest(): Promise<void> {
  await asSystem(database.dataSource, 1, (tx) => requestAny(tx));
}

test("a ring leads to a look, a copy of it to another one, and a greeting to none", async () => {
  const doorbell = await open();
  send(genuine, doorbell);
  expect(await nextReason(doorbell)).toBe("ring");
  send(genuine, doorbell);
  expect(await nextReason(doorbell)).toBe("ring");
  expect(doorbell.bell.isReliable()).toBe(false);
  send(writeRing(testSecretBox, workerId, { kind: "hello", rank: 0 }), doorbell);
  await eventually(() => expect(doorbell.bell.isReliable()).toBe(true));
  expect(doorbell.bell.beginLook()).toBe("poll");
  expect(await doorbell.received()).toEqual({ accepted: 3 });
});

test("a ring for channels leads the drain alone to a look, and a greeting counts for both", async () => {
  const doorbell = await open();
  send(writeRing(testSecretBox, workerId, { kind: "channels", rank: 0 }), doorbell);
  expect(await nextReason({ bell: doorbell.channelBell })).toBe("ring");
  expect(doorbell.bell.beginLook()).toBe("poll");
  send(genuine, doorbell);
  expect(await nextReason(doorbell)).toBe("ring");
  expect(doorbell.channelBell.beginLook()).toBe("poll");
  send(writeRing(testSecretBox, workerId, { kind: "hello", rank: 0 }), doorbell);
  await eventually(() => expect(doorbell.channelBell.isReliable()).toBe(true));
  expect(doorbell.bell.isReliable()).toBe(true);
});

test("a commit of this process with work for the drain rings the drains alone", async () => {
  const doorbell = await open();
  await asSystem(database.dataSource, 1, async (tx) => {
    const webhook = { channelAppId: 1, body: Buffer.from("{}"), receivedAt: tx.now };
    await insertWebhooks(tx, [{ accountId: 1, ...webhook }]);
  });
  expect(await nextReason({ bell: doorbell.channelBell })).toBe("ring");
  expect(doorbell.bell.beginLook()).toBe("poll");
});

test("forged, foreign, malformed and oversized datagrams are counted, and lead to nothing", async () => {
  const doorbell = await open();
  const stranger = createSecretBox(generateSecretKey("test"));
  send(writeRing(stranger, workerId, { kind: "ring", rank: 0 }), doorbell);
  send(writeRing(testSecretBox, "another:1:1", { kind: "ring", rank: 0 }), doorbell);
  send(writeRing(stranger, workerId, { kind: "hello", rank: 0 }), doorbell);
  send("", doorbell);
  send("ring", doorbell);
  send(Buffer.alloc(9_000, "1 ring 0 "), doorbell);
  await eventually(async () => expect(await doorbell.received()).toEqual({ refused: 6 }));
  expect(doorbell.bell.beginLook()).toBe("poll");
  expect(doorbell.bell.isReliable()).toBe(false);
});

test("a commit of this process with outbox rows rings its own relay, and the other workers", async () => {
  const doorbell = await open();
  const otherId = `${hostLabel}:2:1700000000000`;
  const other = await open({}, otherId);
  doorbell.setWorkers([
    { workerId, address: doorbell.address ?? "" },
    { workerId: otherId, address: other.address ?? "" },
  ]);
  await commitRequest();
  expect(await nextReason(doorbell)).toBe("ring");
  await eventually(async () => expect(await other.received()).toEqual({ accepted: 1 }));
  expect(await doorbell.received()).toEqual({});
});

test("after its stop the port is free, and commits go on", async () => {
  const doorbell = await open();
  doorbell.stop();
  stops.length = 0;
  const again = createSocket("udp4");
  await new Promise<void>((resolve, reject) => {
    again.once("error", reject);
    again.bind({ port: portOf(doorbell), address: "127.0.0.1", exclusive: true }, resolve);
  });
  again.close();
  await commitRequest();
  expect(doorbell.bell.beginLook()).toBe("poll");
});

test("where it is off nothing listens, and commits ring nobody", async () => {
  const doorbell = await open({ doorbellListen: null });
  expect(doorbell.address).toBeNull();
  await commitRequest();
  expect(doorbell.bell.beginLook()).toBe("poll");
});

test("a port that is taken leaves the worker without a doorbell for others", async () => {
  const { port } = parseSocketAddress(ear.address) ?? { port: 0 };
  const doorbell = await open({ doorbellListen: { host: "127.0.0.1", port } });
  expect(doorbell.address).toBeNull();
  await commitRequest();
  expect(doorbell.bell.beginLook()).toBe("ring");
});

test("a socket for all addresses announces the one that leads to the database", async () => {
  const doorbell = await open({ doorbellListen: { host: "0.0.0.0", port: 0 } });
  expect(doorbell.address).toBe(`127.0.0.1:${portOf(doorbell)}`);
  send(genuine, doorbell);
  expect(await nextReason(doorbell)).toBe("ring");
});

test("an address that was set is announced, and one of the internet never is", async () => {
  const inside = await open({ doorbellAddress: { host: "10.0.0.5", port: 4_000 } });
  expect(inside.address).toBe("10.0.0.5:4000");
  const outside = await open({ doorbellAddress: { host: "8.8.8.8", port: 4_000 } });
  expect(outside.address).toBeNull();
});
