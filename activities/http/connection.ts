import { connect, isIPv4, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Client } from "undici";
import {
  hostOf,
  isPermittedAddress,
  normalizeAddress,
  portOf,
  TargetError,
  type TargetPolicy,
} from "../../core/target-guard.ts";
import { AttemptError } from "./answer.ts";
import { dropInterimAnswers } from "./interim.ts";

/** Opens a TCP connection to an address. Tests may inject another function for the network. */
export type Dial = (target: { host: string; port: number }) => Socket;

/** Options for opening connections. */
export interface ConnectOptions {
  policy: TargetPolicy;
  dial: Dial;
  /** PEM certificates trusted instead of Node's list; null: Node's list. */
  ca: string | null;
}

/** One socket to a receiver with a checked peer, and the HTTP/1.1 client on it. */
export interface Connection {
  origin: string;
  /** The address at the other end. */
  ip: string;
  /** Monotonic milliseconds. */
  openedAt: number;
  client: Client;
  /** Call when a request is sent: interim answers before the next final answer are dropped. */
  expectAnswer(): void;
  isOpen(): boolean;
  destroy(): void;
}

/** An idle socket is never used again after this. */
export const maxIdleMs = 900;

/** Servers in use send less. */
const maxHeaderBytes = 64 * 1_024;
const maxAddressesTried = 4;
const nextAddressMs = 250;

/** The default dialer: it gets an address, so it needs no look-up. */
export const dialTcp: Dial = (target) => connect({ ...target, noDelay: true });

/**
 * Connects to one of the checked addresses, and returns the socket only if its peer is one of them.
 * @throws TargetError `blocked_destination`; AttemptError `tls_error`; a socket's error; the
 * signal's reason.
 */
export async function openConnection(
  url: URL,
  addresses: string[],
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  const tcp = await dialFirst(inTurns(addresses), Number(portOf(url)), options.dial, signal);
  const ip = tcp.remoteAddress ?? "";
  if (!isCheckedPeer(ip, addresses, options.policy)) {
    tcp.destroy();
    throw new TargetError("blocked_destination");
  }
  const socket = url.protocol === "https:" ? await startTls(tcp, url, options.ca, signal) : tcp;
  return wrapSocket(url.origin, ip, socket);
}

/** The third check of a target: nothing is written to a peer outside the checked set. */
function isCheckedPeer(ip: string, addresses: string[], policy: TargetPolicy): boolean {
  if (!isPermittedAddress(ip, policy)) return false;
  return addresses.map(normalizeAddress).includes(normalizeAddress(ip));
}

/** IPv4 and IPv6 in turn, so that a broken family costs one try. */
function inTurns(addresses: string[]): string[] {
  const v4 = addresses.filter((address) => isIPv4(address));
  const v6 = addresses.filter((address) => isIPv6(address));
  const turns = Array.from({ length: addresses.length }, (_, n) => [v4[n], v6[n]]);
  return turns
    .flat()
    .filter((address) => address !== undefined)
    .slice(0, maxAddressesTried);
}

/**
 * Connects to the first address that answers. The next address starts after a failure or after 250
 * ms.
 */
function dialFirst(
  addresses: string[],
  port: number,
  dial: Dial,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const open = new Set<Socket>();
    let timer: NodeJS.Timeout | undefined;
    let settled = false;
    const settle = (winner: Socket | null, error?: unknown): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      open.forEach((socket) => socket !== winner && socket.destroy());
      if (winner === null) reject(error);
      else resolve(winner);
    };
    const onAbort = (): void => settle(null, signal.reason);
    const startNext = (): void => {
      clearTimeout(timer);
      const host = waiting.shift();
      if (host === undefined || settled) return;
      const socket = dial({ host, port });
      open.add(socket);
      socket.once("connect", () => settle(socket));
      // Stays for the socket's whole life, because a late error needs a listener.
      socket.on("error", (error) => {
        open.delete(socket);
        if (waiting.length > 0) startNext();
        else if (open.size === 0) settle(null, error);
      });
      if (waiting.length > 0) timer = setTimeout(startNext, nextAddressMs);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else startNext();
  });
}

function startTls(tcp: Socket, url: URL, ca: string | null, signal: AbortSignal): Promise<Socket> {
  const host = hostOf(url);
  const isAddress = isIPv4(host) || isIPv6(host);
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: tcp,
      host,
      ...(isAddress ? {} : { servername: host }),
      ...(ca === null ? {} : { ca }),
      // Set explicitly, because an environment variable can turn the default off.
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
      ALPNProtocols: ["http/1.1"],
    });
    const fail = (error: unknown): void => {
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      tcp.destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("error", (error: NodeJS.ErrnoException) =>
      fail(error.code === "ECONNRESET" ? error : new AttemptError("tls_error")),
    );
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", onAbort);
      resolve(socket);
    });
    if (signal.aborted) onAbort();
  });
}

function wrapSocket(origin: string, ip: string, socket: Socket): Connection {
  let given = false;
  const client = new Client(origin, {
    pipelining: 1,
    // undici's timers are coarse and measure idle time only, so the attempt has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    // A receiver that announces a keep-alive of one second leaves us half of it.
    keepAliveTimeoutThreshold: 500,
    allowH2: false,
    connect: (_target, callback) => {
      // One socket for one client: the client can neither connect nor repeat a request by itself.
      // If undici gets the callback before this function returns, it forgets the waiting request.
      const answer = given;
      given = true;
      queueMicrotask(() => {
        if (answer) callback(new AttemptError("connection_reset"), null);
        else callback(null, socket);
      });
    },
  });
  return {
    origin,
    ip,
    openedAt: performance.now(),
    client,
    expectAnswer: dropInterimAnswers(socket),
    isOpen: () => !socket.destroyed && !client.destroyed,
    destroy: () => {
      void client.destroy();
      socket.destroy();
    },
  };
}
