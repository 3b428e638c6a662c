import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { DataSource } from "typeorm";
import type { WorkerMetrics } from "../activities/metrics.ts";
import {
  formatSocketAddress,
  isNear,
  isWildcard,
  socketTypeOf,
  type SocketAddress,
} from "../core/doorbell/address.ts";
import { createRinger, type Ringer } from "../core/doorbell/ringer.ts";
import { createRingReader } from "../core/doorbell/ring.ts";
import { messageOf } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { SecretBox } from "../core/secrets.ts";
import { onCommittedChannelWork, onCommittedOutboxRows } from "../db/transaction.ts";
import { createBell, type Bell } from "./engine/bell.ts";

/** Parts of a doorbell. */
export interface DoorbellDeps {
  /** Settings of the process. */
  config: {
    databaseUrl: string;
    doorbellListen: SocketAddress | null;
    doorbellAddress: SocketAddress | null;
  };
  workerId: string;
  secretBox: SecretBox;
  dataSource: DataSource;
  log: Logger;
  metrics: WorkerMetrics;
}

/** The doorbell of a worker: it hears of commits, and tells other workers of its own ones. */
export interface Doorbell {
  /** Rung for outbox rows. */
  bell: Bell;
  /** Rung for webhooks and items of channels. */
  channelBell: Bell;
  /** `ip:port` for the heartbeat; null where nobody can ring. */
  address: string | null;
  setWorkers: Ringer["setWorkers"];
  /** Closes the sockets. */
  stop: () => void;
}

/** A worker of a higher rank looks so much later for each place. The first has claimed the rows by then. */
const rankMs = 10;

/**
 * Opens the doorbell of a worker. Commits of its own process ring it too. Where no socket can be opened,
 * the worker goes on without one, and polls.
 */
export async function openDoorbell(deps: DoorbellDeps): Promise<Doorbell> {
  const { config, workerId, secretBox, dataSource, log, metrics } = deps;
  const bells = { bell: createBell(), channelBell: createBell() };
  if (config.doorbellListen === null) {
    return { ...bells, address: null, setWorkers: () => undefined, stop: () => undefined };
  }
  const count = (result: "sent" | "failed") => metrics.rings.inc({ result });
  const ringer = createRinger({ secretBox, count, ownId: workerId });
  const stops = [
    onCommittedOutboxRows(dataSource, () => {
      bells.bell.ring(0);
      ringer.ring("ring");
    }),
    onCommittedChannelWork(dataSource, () => {
      bells.channelBell.ring(0);
      ringer.ring("channels");
    }),
  ];
  const opened = await openSocket(deps, config.doorbellListen, bells).catch((error: unknown) => {
    log.warn({ reason: messageOf(error) }, "doorbell.not_opened");
    return null;
  });
  return {
    ...bells,
    address: opened?.address ?? null,
    setWorkers: ringer.setWorkers,
    stop() {
      for (const stop of stops) stop();
      ringer.close();
      opened?.socket.close();
    },
  };
}

/** The bells that datagrams ring. */
type Bells = Pick<Doorbell, "bell" | "channelBell">;

async function openSocket(deps: DoorbellDeps, listen: SocketAddress, bells: Bells) {
  const { config, log } = deps;
  const host = isWildcard(listen.host)
    ? await findOwnAddress(listen.host, config.databaseUrl)
    : listen.host;
  const announced = config.doorbellAddress ?? { host, port: listen.port };
  if (!isNear(announced.host)) {
    throw new Error("The address of the doorbell is not one of a private network.");
  }
  const socket = await bindSocket(listen);
  const port = announced.port === 0 ? socket.address().port : announced.port;
  socket.on("message", createReceiver(deps, bells));
  socket.on("error", (error) => log.warn({ reason: messageOf(error) }, "doorbell.failed"));
  return { socket, address: formatSocketAddress({ host: announced.host, port }) };
}

function createReceiver(
  { secretBox, workerId, metrics }: DoorbellDeps,
  { bell, channelBell }: Bells,
) {
  const read = createRingReader(secretBox, workerId);
  return (datagram: Buffer): void => {
    const ring = read(datagram);
    metrics.ringsReceived.inc({ result: ring === null ? "refused" : "accepted" });
    if (ring?.kind === "ring") bell.ring(ring.rank * rankMs);
    if (ring?.kind === "channels") channelBell.ring(ring.rank * rankMs);
    if (ring?.kind === "hello") for (const one of [bell, channelBell]) one.greet();
  };
}

async function bindSocket({ host, port }: SocketAddress): Promise<Socket> {
  const socket = createSocket(socketTypeOf(host));
  socket.bind({ port, address: host, exclusive: true });
  try {
    await once(socket, "listening");
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

/** Address of this machine on the network of its database, where the API is too. Sends nothing. */
async function findOwnAddress(wildcard: string, databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl);
  const socket = createSocket(socketTypeOf(wildcard));
  try {
    socket.connect(Number(port) || 3_306, hostname.replaceAll(/[[\]]/g, ""));
    await once(socket, "connect");
    return socket.address().address;
  } finally {
    socket.close();
  }
}
