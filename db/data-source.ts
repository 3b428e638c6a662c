import "reflect-metadata";
import mysql, { type Pool, type PoolOptions } from "mysql2";
import { DataSource } from "typeorm";
import { limitAcquireTime } from "./bounded-pool.ts";
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
   * Whether waits end with an error: for a connection after three seconds, or half of that where none
   * can be made; for an answer after seven. For what serves callers; migrations take as long as they need.
   */
  bounded?: boolean;
}

/**
 * How long the server may read for one SELECT: less than a caller waits for its answer, so that nothing
 * is read on for a caller who has gone. A statement that has to end sooner says so itself.
 */
const selectMs = 6_000;

/** How long a connection may take to be made. */
const connectMs = 3_000;
/** The same where callers wait for it: MySQL away is told within 2 s. */
const boundedConnectMs = 1_500;

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
    driver: { ...mysql, createPool: bounded ? createBoundedPool(poolSize) : createUnboundedPool },
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
    // A stack for each statement, in case it fails: TypeORM's own error has one.
    trace: false,
    connectTimeout: bounded ? boundedConnectMs : connectMs,
    extra: { connectionLimit: poolSize, maxIdle: poolSize, enableKeepAlive: true },
  });
}

/**
 * Sets the session once per connection, so that no transaction pays round trips for it. TypeORM asks
 * for the connection's promises at each statement, and the driver would make them anew.
 */
function createPool(options: PoolOptions, maxSelectMs: number): Pool {
  const pool = mysql.createPool(options);
  pool.on("connection", (connection) => {
    const promises = connection.promise();
    connection.promise = () => promises;
    // A failure here shows in the statement that follows on the same connection.
    connection.query(
      `SET SESSION transaction_isolation = 'READ-COMMITTED', time_zone = '+00:00',
         innodb_lock_wait_timeout = 5, max_execution_time = ${maxSelectMs}`,
      () => undefined,
    );
  });
  return pool;
}

/** For migrations, which read for as long as they need. */
function createUnboundedPool(options: PoolOptions): Pool {
  return createPool(options, 0);
}

/** For what serves callers: neither a connection nor an answer is waited for without end. */
function createBoundedPool(size: number): typeof createUnboundedPool {
  return (options) => {
    const pool = createPool(options, selectMs);
    limitAcquireTime(pool, size);
    return pool;
  };
}
