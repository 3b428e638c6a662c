import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A UDP socket on loopback that keeps what it gets. */
export interface UdpEar {
  /** `127.0.0.1:port`. */
  address: string;
  /** Datagrams as text, in the order of their arrival. */
  heard: string[];
  /** Sends a datagram to a port of loopback. */
  send(datagram: Buffer | string, port: number): void;
  stop: () => Promise<void>;
}

/** Opens a socket on a free port. */
export async function startUdpEar(): Promise<UdpEar> {
  const socket = createSocket("udp4");
  const heard: string[] = [];
  socket.on("message", (datagram) => void heard.push(datagram.toString("latin1")));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    heard,
    send: (datagram, port) => socket.send(datagram, port, "127.0.0.1"),
    async stop() {
      socket.close();
      await once(socket, "close");
    },
  };
}
