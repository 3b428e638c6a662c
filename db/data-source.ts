import "reflect-metadata";
import mysql, { type Pool, type PoolOptions } from "mysql2";
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
}

/**
 * Opens the pool. Every connection speaks UTC and READ COMMITTED; without a server it fails within
 * three seconds instead of waiting for one.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  return await createDataSource(options).initialize();
}

/** The pool, not yet opened. */
export function createDataSource({ url, poolSize }: DatabaseOptions): DataSource {
  return new DataSource({
    type: "mysql",
    driver: { ...mysql, createPool },
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
    connectTimeout: 3_000,
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
