import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createLane, type Conditions, type Lane } from "./proxy-lane.ts";

/** Sees the data of one connection. It may cut the connection before a chunk is passed on. */
export interface Inspector {
  fromClient(chunk: Buffer): Verdict;
  fromServer(chunk: Buffer): Verdict;
}
export type Verdict = "pass" | "cut";

/** Source and target of the connections. */
export interface ProxyOptions {
  /** Called for each connection, so that a server may return at another address. */
  target: () => { host: string; port: number };
  /** By default any free port. */
  port?: number;
  /** The source of jitter, in [0, 1). */
  random?: () => number;
  /** Creates the inspector of each connection. */
  inspect?: () => Inspector;
}

/** A TCP relay on 127.0.0.1 that imitates a bad network. */
export interface TcpProxy {
  port: number;
  /** Number of open connections. */
  connections(): number;
  /** Delays every chunk, in both directions. The order stays. */
  delay(latencyMs: number, jitterMs?: number): void;
  /** A partition: accepts connections and passes nothing on, in either direction, until `heal`. */
  blackhole(): void;
  /** Resets open connections and refuses new ones until `heal`. */
  down(): Promise<void>;
  /** Sends RST on every open connection. @returns the number of connections */
  reset(): number;
  /** Ends every fault. Data that a blackhole held back arrives now. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

interface Link {
  sockets: [client: Socket, upstream: Socket];
  lanes: Lane[];
}

/** Starts a proxy without faults. */
export async function startTcpProxy(options: ProxyOptions): Promise<TcpProxy> {
  const { random = Math.random } = options;
  const conditions: Conditions = { latencyMs: 0, jitterMs: 0, silent: false, random };
  const links = new Set<Link>();
  const accept = (client: Socket): void => addLink(links, client, options, conditions);
  const reset = (): number => {
    const open = links.size;
    for (const { sockets } of links) sockets.forEach(breakOff);
    return open;
  };
  let server: Server | null = await listen(accept, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    const closing = server;
    server = null;
    const closed = new Promise<void>((resolve) => {
      if (closing === null) resolve();
      else closing.close(() => resolve());
    });
    reset();
    await closed;
  };
  return {
    port,
    connections: () => links.size,
    delay(latencyMs, jitterMs = 0) {
      Object.assign(conditions, { latencyMs, jitterMs });
    },
    blackhole() {
      conditions.silent = true;
    },
    down: close,
    reset,
    async heal() {
      Object.assign(conditions, { latencyMs: 0, jitterMs: 0, silent: false });
      for (const { lanes } of links) for (const lane of lanes) lane.flush();
      server ??= await listen(accept, port);
    },
    stop: close,
  };
}

function addLink(
  links: Set<Link>,
  client: Socket,
  { target, inspect }: ProxyOptions,
  conditions: Conditions,
): void {
  const upstream = connect({ ...target(), allowHalfOpen: true });
  const inspector = inspect?.() ?? { fromClient: () => "pass", fromServer: () => "pass" };
  const cut = (): void => {
    client.destroy();
    upstream.destroy();
  };
  const judged = (judge: (chunk: Buffer) => Verdict) => (chunk: Buffer) => {
    if (judge(chunk) === "pass") return true;
    cut();
    return false;
  };
  const link: Link = {
    sockets: [client, upstream],
    lanes: [
      createLane(
        client,
        upstream,
        conditions,
        judged((chunk) => inspector.fromClient(chunk)),
      ),
      createLane(
        upstream,
        client,
        conditions,
        judged((chunk) => inspector.fromServer(chunk)),
      ),
    ],
  };
  links.add(link);
  for (const socket of link.sockets) {
    socket.setNoDelay(true);
    // A close event follows, and the proxy passes it to the other side as the network would.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (client.destroyed && upstream.destroyed) links.delete(link);
    });
  }
}

/**
 * Breaks a connection off. A socket whose end was written cannot be reset: Node would keep its
 * handle and spin forever.
 */
function breakOff(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

async function listen(accept: (client: Socket) => void, port: number): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, accept);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}
