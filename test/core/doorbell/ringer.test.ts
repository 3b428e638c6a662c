import { afterEach, expect, test, vi } from "vitest";
import { hostLabel } from "../../../core/doorbell/address.ts";
import { createRingReader } from "../../../core/doorbell/ring.ts";
import { createRinger, type Ringer } from "../../../core/doorbell/ringer.ts";
import { createSecretBox, generateSecretKey } from "../../../core/secrets.ts";
import { eventually } from "../../support/eventually.ts";
import { startUdpEar, type UdpEar } from "../../support/udp.ts";

const secretBox = createSecretBox(generateSecretKey("test"));
const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function openRinger(ownId?: string) {
  const counts = { sent: 0, failed: 0 };
  const ringer = createRinger({
    secretBox,
    count: (result) => void (counts[result] += 1),
    ...(ownId === undefined ? {} : { ownId }),
  });
  stops.push(() => ringer.close());
  return { ringer, counts };
}

const idOf = (n: number) => `${hostLabel}:${n}:1700000000000`;

/** Workers that only listen, in the order of their ids. */
async function startEars(count: number): Promise<UdpEar[]> {
  const ears = await Promise.all(Array.from({ length: count }, () => startUdpEar()));
  stops.push(async () => {
    await Promise.all(ears.map(async (ear) => await ear.stop()));
  });
  return ears;
}

function announce(ringer: Ringer, ears: readonly UdpEar[]): void {
  ringer.setWorkers(ears.map(({ address }, n) => ({ workerId: idOf(n), address })));
}

function readAll({ heard }: UdpEar, n: number) {
  const read = createRingReader(secretBox, idOf(n));
  return heard.map((text) => read(Buffer.from(text, "latin1")));
}

test("a ring reaches each worker, and workers take turns at the first rank", async () => {
  const ears = await startEars(2);
  const { ringer } = openRinger();
  announce(ringer, ears);
  for (let n = 1; n <= 2; n += 1) {
    ringer.ring("ring");
    await eventually(() => expect(ears.map(({ heard }) => heard.length)).toEqual([n, n]));
  }
  const ranks = ears.map((ear, n) => readAll(ear, n).map((ring) => ring?.rank));
  expect(ranks.map((one) => one.toSorted((a = 0, b = 0) => a - b))).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(ranks[0]).not.toEqual(ranks[1]);
});

test("a thousand commits at once are two rings, and the last commit is followed by one", async () => {
  const [ear] = await startEars(1);
  if (ear === undefined) throw new Error("no ear");
  const { ringer, counts } = openRinger();
  announce(ringer, [ear]);
  // The first datagram opens the socket, which may take longer than rings share one.
  ringer.greet();
  await eventually(() => expect(counts.sent).toBe(1));
  // At once, also where the process loses its core meanwhile.
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  for (let n = 0; n < 1_000; n += 1) ringer.ring("ring");
  clock.mockRestore();
  await eventually(() => expect(ear.heard).toHaveLength(3));
  ringer.ring("ring");
  await eventually(() => expect(ear.heard).toHaveLength(4));
  expect(counts).toEqual({ sent: 4, failed: 0 });
});

test("a ring of one kind is no ring of the other", async () => {
  const [ear] = await startEars(1);
  if (ear === undefined) throw new Error("no ear");
  const { ringer } = openRinger();
  announce(ringer, [ear]);
  ringer.ring("ring");
  ringer.ring("channels");
  await eventually(() => {
    const kinds = readAll(ear, 0).map((ring) => ring?.kind);
    expect(kinds).toEqual(["ring", "channels"]);
  });
});

test("a dead worker costs nothing, and the others are rung", async () => {
  const [dead, alive] = await startEars(2);
  if (dead === undefined || alive === undefined) throw new Error("no ear");
  const { address } = dead;
  await dead.stop();
  stops.length = 0;
  stops.push(alive.stop);
  const { ringer } = openRinger();
  ringer.setWorkers([
    { workerId: idOf(0), address },
    { workerId: idOf(1), address: alive.address },
  ]);
  for (let n = 1; n <= 5; n += 1) {
    ringer.ring("ring");
    await eventually(() => expect(alive.heard).toHaveLength(n));
  }
});

test("a worker does not ring itself, and others look after it", async () => {
  const ears = await startEars(2);
  const [own, other] = ears;
  if (own === undefined || other === undefined) throw new Error("no ear");
  const { ringer } = openRinger(idOf(0));
  announce(ringer, ears);
  ringer.ring("ring");
  await eventually(() => expect(readAll(other, 1)).toEqual([{ kind: "ring", rank: 1 }]));
  expect(own.heard).toEqual([]);
});

test("a greeting reaches each worker", async () => {
  const ears = await startEars(2);
  const { ringer } = openRinger();
  announce(ringer, ears);
  ringer.greet();
  await eventually(() =>
    expect(ears.flatMap((ear, n) => readAll(ear, n).map((ring) => ring?.kind))).toEqual([
      "hello",
      "hello",
    ]),
  );
});

test("addresses of other machines' loopback, of the internet, or of no form are not rung", async () => {
  const [ear] = await startEars(1);
  if (ear === undefined) throw new Error("no ear");
  const { ringer, counts } = openRinger();
  ringer.setWorkers([
    { workerId: "elsewhere:1:1", address: ear.address },
    { workerId: idOf(1), address: "8.8.8.8:4000" },
    { workerId: idOf(2), address: "here" },
    { workerId: idOf(3), address: "127.0.0.1:0" },
    { workerId: idOf(0), address: ear.address },
  ]);
  ringer.ring("ring");
  await eventually(() => expect(readAll(ear, 0)).toEqual([{ kind: "ring", rank: 0 }]));
  expect(counts).toEqual({ sent: 1, failed: 0 });
});

test("after its end nothing is sent, and nothing throws", async () => {
  const [ear] = await startEars(1);
  if (ear === undefined) throw new Error("no ear");
  const { ringer, counts } = openRinger();
  announce(ringer, [ear]);
  ringer.ring("ring");
  await eventually(() => expect(ear.heard).toHaveLength(1));
  ringer.ring("ring");
  ringer.close();
  announce(ringer, [ear]);
  ringer.ring("ring");
  ringer.greet();
  ringer.close();
  expect(counts).toEqual({ sent: 1, failed: 0 });
});
