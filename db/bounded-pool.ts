import { Socket } from "node:net";
import type { Pool, PoolConnection } from "mysql2";

/** How long a caller waits for a connection. */
const acquireMs = 3_000;
/** How long a statement may go unanswered: above a lock wait of 5 s. */
const silenceMs = 7_000;
/** A server that has said nothing to anybody for so long is not slow with one statement. */
const quietMs = 2_000;
/** From one try to the next where a server that is away lets them hang. */
const probeMs = 250;

/** A caller who waits for a connection. */
interface Waiter {
  serve: (connection: PoolConnection) => void;
  refuse: (error: Error) => void;
}

/**
 * Bounds what the driver does without end: waiting for a connection, and for an answer. A server that
 * is away, one that no connection leads to and none can be made to, costs callers one failed try: all
 * who wait are refused with it, and so is who comes after, but for one at a time who tries again. Once
 * one gets through, all are served. A server that is slow is waited for.
 * @param size connections the pool keeps at most.
 */
export function limitAcquireTime(pool: Pool, size: number): void {
  const acquire = pool.getConnection.bind(pool);
  // Nobody stays for longer than `acquireMs`.
  const waiting = new Set<Waiter>();
  const absence = createCircuitBreaker();
  let tries = 0;
  const hasRoom = () => busy.size + tries < size;
  // More than has room would wait in the driver's own queue, which nobody can leave.
  const fill = () => {
    while (tries < waiting.size && hasRoom()) attempt();
  };
  const { live, busy } = followConnections(pool, fill, (reason) => {
    absence.begin(reason, silenceMs);
    for (const waiter of waiting) waiter.refuse(reason);
  });

  /** A connection is for who has waited longest, not for who made it. */
  const attempt = () => {
    const startedAt = performance.now();
    tries += 1;
    acquire((error, connection) => {
      tries -= 1;
      if (error === null) succeed(connection);
      else fail(error, performance.now() - startedAt);
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
    const reason = absence.reason();
    if (reason !== null && !(hasRoom() && absence.takeTry())) {
      process.nextTick(refuse, callback, reason);
      return;
    }
    wait(waiting, callback);
    fill();
  };
}

/** Whether the server is away, and when it may be tried again. */
function createCircuitBreaker() {
  let reason: Error | null = null;
  let nextTryAt = 0;
  return {
    /** Why the last try failed; null while it is there. */
    reason: () => reason,
    begin(error: Error, tookMs: number): void {
      reason = error;
      nextTryAt = tookMs < probeMs ? 0 : performance.now() + probeMs;
    },
    end: () => void (reason = null),
    /** Whether the next try is the caller's; nobody else's then, until it has failed or has taken long. */
    takeTry(): boolean {
      const now = performance.now();
      if (now < nextTryAt) return false;
      nextTryAt = now + probeMs;
      return true;
    },
  };
}

/**
 * Which connections there are, and which of them are in use; `onFree` hears when that may be fewer,
 * `onSilence` when the server answers on none of them: then the idle ones go, which would be as silent.
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
      // Only this statement is slow where others have their answers.
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
  // A connection in use on which nothing moves is ended, and the statement under way fails.
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

/** Ends a write that its caller gave up: the server would go on with it and keep its locks. */
function endStatement(pool: Pool, threadId: number): void {
  pool.getConnection((error, connection) => {
    if (error !== null) return;
    // A thread that is gone already is no fault.
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

/** The driver passes nothing beside an error, whatever its types say. */
function refuse(callback: Callback, error: Error): void {
  Reflect.apply(callback, undefined, [error]);
}

function streamOf(connection: PoolConnection): Socket | null {
  const stream: unknown = Reflect.get(connection, "stream");
  return stream instanceof Socket ? stream : null;
}

function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}
