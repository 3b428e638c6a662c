import { Socket } from "node:net";
import type { Pool, PoolConnection } from "mysql2";

/** Time limit of a caller's wait for a connection. */
const acquireMs = 3_000;
/** Time limit of an unanswered statement: above a lock wait of 5 s. */
const silenceMs = 7_000;
/** A server without any answer for this long is not slow with one statement only. */
const quietMs = 2_000;
/** Pause between two tries while an unreachable server lets them hang. */
const probeMs = 250;

/** A caller who waits for a connection. */
interface Waiter {
  serve: (connection: PoolConnection) => void;
  refuse: (error: Error) => void;
}

/**
 * Bounds two waits that the driver does not limit: for a connection, and for an answer.
 *
 * A server is unreachable if no connection to it is open and none can be made. Then one failed try
 * refuses all waiting callers. New callers are refused at once, except one at a time, which tries
 * again. After its success all callers are served. For a slow server callers wait.
 * @param size maximum number of connections in the pool.
 */
export function limitAcquireTime(pool: Pool, size: number): void {
  const acquire = pool.getConnection.bind(pool);
  // Bounded: no entry stays longer than `acquireMs`.
  const waiting = new Set<Waiter>();
  const absence = createCircuitBreaker();
  let tries = 0;
  const isClosed = followEnd(pool);
  const hasRoom = () => busy.size + tries < size;
  // Further tries would wait in the driver's own queue, which a caller cannot leave.
  const fill = () => {
    while (tries < waiting.size && hasRoom()) attempt();
  };
  const { live, busy } = followConnections(pool, fill, (reason) => {
    absence.begin(reason, silenceMs);
    for (const waiter of waiting) waiter.refuse(reason);
  });

  /** Serves a new connection to the caller who waited longest, not to the one who made it. */
  const attempt = () => {
    const startedAt = performance.now();
    tries += 1;
    acquire((error, connection) => {
      tries -= 1;
      if (error === null) succeed(connection);
      else fail(isClosed() ? poolClosed() : error, performance.now() - startedAt);
      fill();
    });
  };
  const succeed = (connection: PoolConnection) => {
    absence.end();
    const [first] = waiting;
    if (first === undefined) connection.release();
    else first.serve(connection);
  };
  const fail = (error: Error, tookMs: number) => {
    const [first] = waiting;
    if (live.size > 0) return first?.refuse(error);
    absence.begin(error, tookMs);
    for (const waiter of waiting) waiter.refuse(error);
  };

  pool.getConnection = (callback) => {
    if (isClosed()) {
      process.nextTick(refuse, callback, poolClosed());
      return;
    }
    const reason = absence.reason();
    if (reason !== null && !(hasRoom() && absence.takeTry())) {
      process.nextTick(refuse, callback, reason);
      return;
    }
    wait(waiting, callback);
    fill();
  };
}

/** @returns a function that is true once the pool is being closed. */
function followEnd(pool: Pool): () => boolean {
  const end = pool.end.bind(pool);
  let closed = false;
  pool.end = (callback) => {
    closed = true;
    end(callback);
  };
  return () => closed;
}

/** Knows if the server is unreachable, and when the next try may begin. */
function createCircuitBreaker() {
  let reason: Error | null = null;
  let nextTryAt = 0;
  return {
    /** Error of the last try; null while the server is reachable. */
    reason: () => reason,
    begin(error: Error, tookMs: number): void {
      reason = error;
      nextTryAt = tookMs < probeMs ? 0 : performance.now() + probeMs;
    },
    end: () => void (reason = null),
    /**
     * True if the caller makes the next try. Then no other caller does, until that try fails or
     * takes long.
     */
    takeTry(): boolean {
      const now = performance.now();
      if (now < nextTryAt) return false;
      nextTryAt = now + probeMs;
      return true;
    },
  };
}

/**
 * Tracks open connections, and those in use. `onFree` is called when fewer may be in use.
 * `onSilence` is called when the server answers on no connection. Then idle connections are closed,
 * because they would be silent too.
 */
function followConnections(pool: Pool, onFree: () => void, onSilence: (reason: Error) => void) {
  const live = new Set<PoolConnection>();
  const busy = new Set<PoolConnection>();
  let heardAt = 0;
  pool.on("connection", (connection) => {
    live.add(connection);
    const stream = streamOf(connection);
    stream?.on("data", () => (heardAt = performance.now()));
    stream?.on("timeout", () => {
      const reason = timedOut("The server does not answer.");
      stream.destroy(reason);
      // Other statements get answers, so only this one is slow.
      if (performance.now() - heardAt < quietMs) {
        endStatement(pool, connection.threadId);
        return;
      }
      for (const one of live) if (!busy.has(one)) streamOf(one)?.destroy(reason);
      onSilence(reason);
    });
    stream?.once("close", () => {
      live.delete(connection);
      busy.delete(connection);
      onFree();
    });
  });
  // Ends a connection in use without any traffic, and its statement fails.
  pool.on("acquire", (connection) => {
    busy.add(connection);
    streamOf(connection)?.setTimeout(silenceMs);
  });
  pool.on("release", (connection) => {
    streamOf(connection)?.setTimeout(0);
    busy.delete(connection);
    onFree();
  });
  return { live, busy };
}

/**
 * Ends a statement whose caller gave up, because the server would continue it and keep its locks.
 */
function endStatement(pool: Pool, threadId: number): void {
  pool.getConnection((error, connection) => {
    if (error !== null) return;
    // A thread that has ended already is no error.
    connection.query(`KILL ${threadId}`, () => connection.release());
  });
}

type Callback = Parameters<Pool["getConnection"]>[0];

function wait(waiting: Set<Waiter>, callback: Callback): void {
  const waiter: Waiter = {
    serve(connection) {
      leave();
      callback(null, connection);
    },
    refuse(error) {
      leave();
      refuse(callback, error);
    },
  };
  const timer = setTimeout(
    () => waiter.refuse(timedOut("No connection became free in time.")),
    acquireMs,
  );
  const leave = () => {
    clearTimeout(timer);
    waiting.delete(waiter);
  };
  waiting.add(waiter);
}

/** With an error the driver passes no second argument, although its types require one. */
function refuse(callback: Callback, error: Error): void {
  Reflect.apply(callback, undefined, [error]);
}

function streamOf(connection: PoolConnection): Socket | null {
  const stream: unknown = Reflect.get(connection, "stream");
  return stream instanceof Socket ? stream : null;
}

/** The driver's own error of a closed pool has no code. */
function poolClosed(): Error {
  return Object.assign(new Error("The pool is closed."), { code: "POOL_CLOSED" });
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}
