import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** A receiver made of bare sockets, so that it can answer anything, and count everything. */
export interface Receiver {
  port: number;
  /** Connections accepted so far. */
  connections: Socket[];
  /** Bytes read so far, over all connections. */
  bytesRead: number;
  /** The complete requests read so far, head and body. */
  requests: string[];
  close(this: void): Promise<void>;
}

/** What a receiver does once it has read a request; n counts from 1 on each connection. */
export type Behaviour = (socket: Socket, n: number) => void;

/** How a receiver differs from plain HTTP on 127.0.0.1. */
export interface ReceiverOptions {
  tls?: TlsOptions;
  /** Written as soon as a connection is there. */
  greeting?: string;
  host?: string;
}

/** Starts a receiver on loopback. */
export function startReceiver(
  behaviour: Behaviour,
  { tls, greeting = "", host = "127.0.0.1" }: ReceiverOptions = {},
): Promise<Receiver> {
  const receiver: Receiver = {
    port: 0,
    connections: [],
    bytesRead: 0,
    requests: [],
    close: () => closeServer(server, receiver.connections),
  };
  const accept = (socket: Socket): void => {
    let text = "";
    let n = 0;
    receiver.connections.push(socket);
    if (greeting !== "") socket.write(greeting);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      receiver.bytesRead += chunk.length;
      text += chunk.toString("latin1");
      const length = requestLength(text);
      if (length === null || text.length < length) return;
      receiver.requests.push(text.slice(0, length));
      text = text.slice(length);
      n += 1;
      behaviour(socket, n);
    });
  };
  const server =
    tls === undefined
      ? createServer(accept)
      : createTlsServer(tls, accept).on("tlsClientError", () => {});
  return new Promise((resolve) => {
    server.listen(0, host, () => {
      receiver.port = (server.address() as AddressInfo).port;
      resolve(receiver);
    });
  });
}

/** A port of loopback on which nobody listens. */
export async function findClosedPort(): Promise<number> {
  const receiver = await startReceiver(() => {});
  await receiver.close();
  return receiver.port;
}

/** A behaviour that writes this text for every request. */
export function answer(text: string): Behaviour {
  return (socket) => void socket.write(text);
}

/** A complete answer that lets the connection live. */
export const okAnswer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Writes the same bytes for ever, no faster than they are read. */
export function flood(socket: Socket, bytes: string | Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", more);
  more();
}

/** Writes a text one byte at a time. */
export function drip(socket: Socket, text: string, everyMs: number): void {
  let next = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || next >= text.length) clearInterval(timer);
    else socket.write(text[next++] ?? "");
  }, everyMs);
}

function requestLength(text: string): number | null {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? "0";
  return end + 4 + Number(length);
}

function closeServer(server: Server, connections: Socket[]): Promise<void> {
  connections.forEach((socket) => socket.destroy());
  return new Promise((resolve) => server.close(() => resolve()));
}
