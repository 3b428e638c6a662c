import { createSocket } from "node:dgram";
import { once } from "node:events";
import { choosePort } from "./own-servers.ts";

/** Fate of a datagram: number of copies, and the time in ms after which they are passed on. */
export interface Passage {
  copies: number;
  afterMs: number;
}

/** A UDP relay on 127.0.0.1 that loses, doubles and delays datagrams. */
export interface UdpProxy {
  /** Port that senders use. */
  port: number;
  /** Port to which datagrams are passed on. */
  targetPort: number;
  /** Datagrams that came, the newest last. */
  seen: Buffer[];
  /** Decides about each datagram from now on. */
  decide(passage: () => Passage): void;
  /** Sends a datagram of its own to the target. */
  forge: (datagram: Buffer) => void;
  /** Passes every datagram on, once and at once. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

const whole = (): Passage => ({ copies: 1, afterMs: 0 });
const mostSeen = 1_000;

/** Starts a proxy without faults, in front of a port that nobody uses yet. */
export async function startUdpProxy(): Promise<UdpProxy> {
  const targetPort = await choosePort();
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const seen: Buffer[] = [];
  const late = new Set<NodeJS.Timeout>();
  let decide = whole;
  const pass = (datagram: Buffer): void => socket.send(datagram, targetPort, "127.0.0.1");
  socket.on("message", (datagram) => {
    if (seen.push(datagram) > mostSeen) seen.shift();
    const { copies, afterMs } = decide();
    const timer = setTimeout(() => {
      late.delete(timer);
      for (let copy = 0; copy < copies; copy += 1) pass(datagram);
    }, afterMs);
    late.add(timer);
  });
  return {
    port: socket.address().port,
    targetPort,
    seen,
    decide(passage) {
      decide = passage;
    },
    forge: pass,
    async heal() {
      decide = whole;
    },
    async stop() {
      for (const timer of late) clearTimeout(timer);
      socket.close();
      await once(socket, "close");
    },
  };
}
