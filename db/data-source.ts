import "reflect-metadata";
import mysql, { type Pool, type PoolOptions } from "mysql2";
import { DataSource } from "typeorm";
import { limitAcquireTime } from "./bounded-pool.ts";
import { entities } from "./entities/index.ts";
import { migrations } from "./migrations/index.ts";
import { SnakeNaming } from "./snake-naming.ts";

/** Options to reach MySQL. */
export interface DatabaseOptions {
  /** `mysql://user:password@host:port/database` */
  url: string;
  /** Maximum number of connections. */
  poolSize: number;
  /**
   * True if waits end with an error: after seven seconds for an answer, after three for a
   * connection. If no connection can be made, half of that. For processes that serve callers;
   * migrations have no limit.
   */
  bounded?: boolean;
}

/**
 * Time limit of one SELECT on the server. It is shorter than a caller's wait, so that the server
 * does not read for a caller who has gone. A statement with a shorter limit sets it itself.
 */
const selectMs = 6_000;

/**
 * Time after which the server ends a connection that sends nothing, and rolls its transaction back.
 * A machine that vanishes would keep its row locks for hours otherwise. No transaction rests so long.
 */
const silentSeconds = 60;
/** Connections without work are closed before the server ends them. */
const idleMs = 30_000;

/** Time limit to make a connection. */
const connectMs = 3_000;
/** The same limit while callers wait: an unreachable MySQL is reported within 2 s. */
const boundedConnectMs = 1_500;

/**
 * Opens the pool. Every connection uses UTC and READ COMMITTED. Without a server it fails within
 * three seconds and does not wait.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  return await createDataSource(options).initialize();
}

/** Creates the pool without opening it. */
export function createDataSource({ url, poolSize, bounded = false }: DatabaseOptions): DataSource {
  return new DataSource({
    type: "mysql",
    driver: { ...mysql, createPool: bounded ? createBoundedPool(poolSize) : createUnboundedPool },
    ...readAddress(url),
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
    // Would record a stack for each statement. TypeORM's own error has one.
    trace: false,
    connectTimeout: bounded ? boundedConnectMs : connectMs,
    extra: {
      // The driver closes idle connections only where fewer may be idle than open.
      connectionLimit: poolSize + 1,
      maxIdle: poolSize,
      idleTimeout: idleMs,
      enableKeepAlive: true,
    },
  });
}

/** TypeORM cuts an IPv6 address of a URL at its first colon. */
function readAddress(text: string) {
  const url = new URL(text);
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ""),
    port: Number(url.port) || 3_306,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
  };
}

/**
 * Sets the session once per connection, so that no transaction pays round trips for it. TypeORM
 * asks for the connection's promises at each statement, and the driver would create them each time.
 */
function createPool(options: PoolOptions, limits: string): Pool {
  const pool = mysql.createPool(options);
  pool.on("connection", (connection) => {
    const promises = connection.promise();
    connection.promise = () => promises;
    // A failure here shows in the next statement on the same connection.
    connection.query(
      `SET SESSION transaction_isolation = 'READ-COMMITTED', time_zone = '+00:00',
         innodb_lock_wait_timeout = 5, ${limits}`,
      () => undefined,
    );
  });
  return pool;
}

/** For migrations, which read without a time limit, and whose lock's connection rests meanwhile. */
function createUnboundedPool(options: PoolOptions): Pool {
  return createPool(options, "max_execution_time = 0");
}

/** For processes that serve callers: waits for a connection and for an answer are limited. */
function createBoundedPool(size: number): typeof createUnboundedPool {
  return (options) => {
    const pool = createPool(
      options,
      `max_execution_time = ${selectMs}, wait_timeout = ${silentSeconds}`,
    );
    limitAcquireTime(pool, size);
    return pool;
  };
}
