import { connect, createServer, type Socket } from "node:net";

/** A TCP relay in front of a MySQL that a test can shut and open. */
export interface DatabaseGate {
  /** The database's URL with the gate's address in it. */
  url: string;
  /** Cuts every connection and lets no new one through. */
  shut(): void;
  open(): void;
  stop(): Promise<void>;
}

/** Starts an open gate in front of the MySQL that `databaseUrl` names. */
export async function startDatabaseGate(databaseUrl: string): Promise<DatabaseGate> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  const shut = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.toString(),
    shut,
    open: () => void (isOpen = true),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      shut();
      await closed;
    },
  };
}
