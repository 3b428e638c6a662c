import { createSocket, type Socket } from "node:dgram";
import type { SecretBox } from "../secrets.ts";
import {
  leadsToWorker,
  parseSocketAddress,
  socketTypeOf,
  type AnnouncedDoorbell,
  type SocketAddress,
} from "./address.ts";
import { maxRank, writeRing, type Ring, type RingKind } from "./ring.ts";

/** Dependencies of a ringer. */
export interface RingerDeps {
  secretBox: SecretBox;
  /** Counts datagrams. A datagram that was sent may be lost. */
  count: (result: "sent" | "failed") => void;
  /** The worker of this process, which is not rung. Its relay looks at once, so the others look later. */
  ownId?: string;
}

/** Rings the workers. Nothing here throws, and nobody waits for a datagram. */
export interface Ringer {
  /** Sets the workers to ring from now on. */
  setWorkers: (doorbells: readonly AnnouncedDoorbell[]) => void;
  /** Rings every worker. Rings of one kind and of the same 2 ms share a datagram. */
  ring: (kind: RingKind) => void;
  /** Tells every worker that this process will ring. */
  greet(): void;
  close(): void;
}

/** Time between two rings. Under load it holds several commits. */
const gapMs = 2;

interface Target extends SocketAddress {
  workerId: string;
  /** Datagrams by their kind and rank. They never change. */
  datagrams: Map<string, Buffer>;
}

/** Creates a ringer without workers. */
export function createRinger({ secretBox, count, ownId }: RingerDeps): Ringer {
  const sender = createSender(count);
  const firstRank = ownId === undefined ? 0 : 1;
  let targets: Target[] = [];
  const last = new Map<RingKind, number>();
  const timers = new Map<RingKind, NodeJS.Timeout>();
  let turn = 0;
  let isClosed = false;

  function datagramOf({ workerId, datagrams }: Target, ring: Ring): Buffer {
    const key = `${ring.kind} ${ring.rank}`;
    const datagram = datagrams.get(key) ?? writeRing(secretBox, workerId, ring);
    datagrams.set(key, datagram);
    return datagram;
  }

  /** Workers take turns at the first rank, so that they share the work. */
  function send(kind: Ring["kind"]): void {
    turn += 1;
    for (const [index, target] of targets.entries()) {
      const place = firstRank + ((index + turn) % targets.length);
      sender.send(target, datagramOf(target, { kind, rank: Math.min(place, maxRank) }));
    }
  }

  function sendRings(kind: RingKind): void {
    timers.delete(kind);
    last.set(kind, performance.now());
    send(kind);
  }

  return {
    setWorkers(doorbells) {
      if (isClosed) return;
      const known = new Map(targets.map((target) => [keyOf(target), target]));
      targets = doorbells
        .flatMap((doorbell) => targetOf(doorbell, ownId))
        .map((target) => known.get(keyOf(target)) ?? target);
    },
    ring(kind) {
      if (targets.length === 0 || timers.has(kind)) return;
      const waitMs = (last.get(kind) ?? Number.NEGATIVE_INFINITY) + gapMs - performance.now();
      if (waitMs <= 0) sendRings(kind);
      else timers.set(kind, setTimeout(sendRings, waitMs, kind).unref());
    },
    greet: () => send("hello"),
    close() {
      isClosed = true;
      targets = [];
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
      sender.close();
    },
  };
}

function targetOf({ workerId, address }: AnnouncedDoorbell, ownId?: string): Target[] {
  const parsed = parseSocketAddress(address);
  if (parsed === null || workerId === ownId || !leadsToWorker(parsed, workerId)) return [];
  return [{ ...parsed, workerId, datagrams: new Map() }];
}

function keyOf({ workerId, host, port }: Target): string {
  return `${workerId} ${host} ${port}`;
}

/** Sends datagrams from one socket for each family of addresses. */
function createSender(count: RingerDeps["count"]) {
  const sockets = new Map<"udp4" | "udp6", Socket>();

  function socketFor(host: string): Socket {
    const type = socketTypeOf(host);
    const open = sockets.get(type);
    if (open !== undefined) return open;
    const socket = createSocket(type);
    sockets.set(type, socket);
    socket.on("error", () => {
      count("failed");
      sockets.delete(type);
      socket.close();
    });
    return socket.unref();
  }

  return {
    send({ host, port }: SocketAddress, datagram: Buffer): void {
      socketFor(host).send(datagram, port, host, (error) => count(error ? "failed" : "sent"));
    },
    close(): void {
      for (const socket of sockets.values()) socket.close();
      sockets.clear();
    },
  };
}
