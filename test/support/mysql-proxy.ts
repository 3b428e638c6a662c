import { connect, createServer, type Socket } from "node:net";

/** A TCP relay in front of a MySQL, which can lose the answer to a COMMIT. */
export interface MysqlProxy {
  /** The database's URL with the proxy's address in it. */
  url: string;
  /**
   * Cuts the connection instead of passing the answer to the next COMMIT of a transaction in which
   * the client sent `statement`. The server has committed by then.
   * @returns resolves when it has happened; `atOnce` runs just before the cut.
   */
  loseCommit(statement: string, atOnce?: () => void): Promise<void>;
  stop(): Promise<void>;
}

interface Trap {
  statement: string;
  spring: () => void;
}

/** Starts a proxy in front of the MySQL that `databaseUrl` names. */
export async function startMysqlProxy(databaseUrl: string): Promise<MysqlProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const traps: Trap[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    pipe(client, upstream, traps);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.toString(),
    async loseCommit(statement, atOnce) {
      await new Promise<void>((resolve) => {
        traps.push({
          statement,
          spring: () => {
            atOnce?.();
            resolve();
          },
        });
      });
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The driver sends text and one statement at a time, so what the client said is easily followed. */
function pipe(client: Socket, upstream: Socket, traps: Trap[]): void {
  let said = "";
  let committing = false;
  client.on("data", (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    if (text.includes("START TRANSACTION")) said = "";
    said += text;
    committing = text.endsWith("COMMIT");
    upstream.write(chunk);
  });
  upstream.on("data", (chunk: Buffer) => {
    const index = committing ? traps.findIndex((trap) => said.includes(trap.statement)) : -1;
    committing = false;
    if (index === -1) {
      client.write(chunk);
      return;
    }
    const [trap] = traps.splice(index, 1);
    trap?.spring();
    client.destroy();
  });
}
