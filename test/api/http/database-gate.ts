import { connect, createServer, type Socket } from "node:net";

/** A TCP relay in front of a MySQL that a test can shut, silence, slow down and open. */
export interface DatabaseGate {
  /** The database's URL with the gate's address in it. */
  url: string;
  /** Cuts every connection and lets no new one through. */
  shut(): void;
  /** Lets one new connection through, `afterMs` after it was made, and no other. */
  openOnce(afterMs: number): void;
  /** Cuts every connection, takes new ones and never says a word on them. */
  silence(): void;
  /** Keeps every connection and takes new ones, and passes nothing on. */
  freeze(): void;
  /** Lets new connections through; each reaches MySQL `afterMs` after it was made. */
  open(afterMs?: number): void;
  stop(): Promise<void>;
}

/** Starts an open gate in front of the MySQL that `databaseUrl` names. */
export async function startDatabaseGate(databaseUrl: string): Promise<DatabaseGate> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: "open" | "once" | "shut" | "silent" = "open";
  let delayMs = 0;
  const watch = (socket: Socket, onClose: () => void) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      onClose();
    });
  };
  const relay = (client: Socket) => {
    if (client.destroyed) return;
    const upstream = connect(Number(target.port), target.hostname);
    watch(upstream, () => client.destroy());
    client.on("close", () => upstream.destroy());
    client.pipe(upstream).pipe(client);
  };
  const server = createServer((client) => {
    watch(client, () => undefined);
    if (state === "shut") client.destroy();
    if (state === "open" || state === "once") setTimeout(relay, delayMs, client);
    if (state === "once") state = "shut";
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  const close = (next: "shut" | "silent") => {
    state = next;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    shut: () => close("shut"),
    silence: () => close("silent"),
    freeze() {
      state = "silent";
      for (const socket of sockets) socket.unpipe().pause();
    },
    open(afterMs = 0) {
      state = "open";
      delayMs = afterMs;
    },
    openOnce(afterMs) {
      state = "once";
      delayMs = afterMs;
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      close("shut");
      await closed;
    },
  };
}
