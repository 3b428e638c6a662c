import "reflect-metadata";
import { Socket } from "node:net";
import mysql, { type Pool, type PoolConnection, type PoolOptions } from "mysql2";
import { DataSource } from "typeorm";
import { entities } from "./entities/index.ts";
import { migrations } from "./migrations/index.ts";
import { SnakeNaming } from "./snake-naming.ts";

/** What a process needs to reach MySQL. */
export interface DatabaseOptions {
  /** `mysql://user:password@host:port/database` */
  url: string;
  /** Connections kept at most. */
  poolSize: number;
  /**
   * Whether waits end with an error: after three seconds for a connection, after seven for an answer.
   * For what serves callers; migrations take as long as they need.
   */
  bounded?: boolean;
}

const connectMs = 3_000;
/** How long a caller waits for a connection of the pool. */
const acquireMs = 3_000;
/** How long a statement may go unanswered: above a lock wait of 5 s. */
const silenceMs = 7_000;

/**
 * Opens the pool. Every connection speaks UTC and READ COMMITTED; without a server it fails within
 * three seconds instead of waiting for one.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  return await createDataSource(options).initialize();
}

/** The pool, not yet opened. */
export function createDataSource({ url, poolSize, bounded = false }: DatabaseOptions): DataSource {
  return new DataSource({
    type: "mysql",
    driver: { ...mysql, createPool: bounded ? createBoundedPool : createPool },
    url,
    entities,
    migrations,
    migrationsTableName: "migrations",
    namingStrategy: new SnakeNaming(),
    synchronize: false,
    logging: false,
    timezone: "Z",
    charset: "utf8mb4_0900_ai_ci",
    supportBigNumbers: true,
    bigNumberStrings: false,
    connectTimeout: connectMs,
    extra: { connectionLimit: poolSize, maxIdle: poolSize, enableKeepAlive: true },
  });
}

/** Sets the session once per connection, so that no transaction pays round trips for it. */
function createPool(options: PoolOptions): Pool {
  const pool = mysql.createPool(options);
  pool.on("connection", (connection) => {
    // A failure here shows in the statement that follows on the same connection.
    connection.query(
      "SET SESSION transaction_isolation = 'READ-COMMITTED', time_zone = '+00:00', innodb_lock_wait_timeout = 5",
      () => undefined,
    );
  });
  return pool;
}

/** The driver itself waits for a free connection, and for an answer, without end. */
function createBoundedPool(options: PoolOptions): Pool {
  const pool = createPool(options);
  endSilence(pool);
  const acquire = pool.getConnection.bind(pool);
  pool.getConnection = (callback) => {
    let waiting = true;
    const timer = setTimeout(() => {
      waiting = false;
      // The driver passes nothing beside an error, whatever its types say.
      Reflect.apply(callback, undefined, [away("No connection became free in time.")]);
    }, acquireMs);
    acquire((error, connection) => {
      clearTimeout(timer);
      if (waiting) callback(error, connection);
      else if (error === null) connection.release();
    });
  };
  return pool;
}

/** A connection in use on which nothing moves is ended, and the statement under way fails. */
function endSilence(pool: Pool): void {
  pool.on("connection", (connection) => {
    const stream = streamOf(connection);
    stream?.on("timeout", () => stream.destroy(away("The server does not answer.")));
  });
  pool.on("acquire", (connection) => streamOf(connection)?.setTimeout(silenceMs));
  pool.on("release", (connection) => streamOf(connection)?.setTimeout(0));
}

function streamOf(connection: PoolConnection): Socket | null {
  const stream: unknown = Reflect.get(connection, "stream");
  return stream instanceof Socket ? stream : null;
}

function away(message: string): Error {
  return Object.assign(new Error(message), { code: "ETIMEDOUT" });
}
