import { type Connection, maxIdleMs } from "./connection.ts";

/**
 * Maximum age of a connection. Without it a busy receiver would keep an address that DNS may have
 * dropped.
 */
const maxAgeMs = 30_000;

/** Connections that wait for the next request to the same origin, for less than a second. */
export interface IdleConnections {
  /** An open connection that is young enough, or null. */
  take(this: void, origin: string): Connection | null;
  put(this: void, connection: Connection): void;
  destroyAll(this: void): void;
}

/** Creates an empty set of idle connections. */
export function createIdleConnections(): IdleConnections {
  // Each connection leaves within `maxIdleMs`, and its origin with the last connection.
  const idle = new Map<
    string,
    { connection: Connection; since: number; timer: NodeJS.Timeout }[]
  >();

  function remove(connection: Connection): void {
    const left = (idle.get(connection.origin) ?? []).filter((one) => one.connection !== connection);
    if (left.length > 0) idle.set(connection.origin, left);
    else idle.delete(connection.origin);
  }

  function drop(connection: Connection): void {
    remove(connection);
    connection.destroy();
  }

  return {
    take(origin) {
      for (const { connection, since, timer } of idle.get(origin)?.toReversed() ?? []) {
        clearTimeout(timer);
        // The timer may be late in a busy process, so the clock decides.
        if (connection.isOpen() && performance.now() - since < maxIdleMs) {
          remove(connection);
          return connection;
        }
        drop(connection);
      }
      return null;
    },
    put(connection) {
      if (!connection.isOpen() || performance.now() - connection.openedAt > maxAgeMs) {
        connection.destroy();
        return;
      }
      const timer = setTimeout(drop, maxIdleMs, connection).unref();
      const waiting = idle.get(connection.origin) ?? [];
      idle.set(connection.origin, [...waiting, { connection, since: performance.now(), timer }]);
    },
    destroyAll() {
      for (const { connection, timer } of [...idle.values()].flat()) {
        clearTimeout(timer);
        drop(connection);
      }
    },
  };
}
