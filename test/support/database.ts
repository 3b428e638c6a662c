import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type DataSource } from "typeorm";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { createDatabase } from "../../dev/mysql.ts";

/** A database of its own for one test file. */
export interface TestDatabase {
  /** With the database in it. */
  url: string;
  dataSource: DataSource;
  /** Drops the database. */
  destroy(): Promise<void>;
}

/** Makes an empty, migrated database on the run's private server, or on another. */
export async function createTestDatabase(serverUrl = inject("mysqlUrl")): Promise<TestDatabase> {
  const name = `t_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await createDatabase(serverUrl, name);
  const dataSource = await createDataSource({ url, poolSize: 60 }).initialize();
  if (serverUrl === inject("mysqlUrl")) await copyTables(dataSource, inject("mysqlTemplate"));
  else await migrate(dataSource);
  return {
    url,
    dataSource,
    async destroy() {
      await dataSource.query(`DROP DATABASE ${name}`);
      await dataSource.destroy();
    },
  };
}

/** Does `work` while nobody else can read or write a table: MySQL makes them wait. */
export async function whileLocked<T>(
  dataSource: DataSource,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  await runner.query(`LOCK TABLES ${table} WRITE`);
  try {
    return await work();
  } finally {
    await runner.query("UNLOCK TABLES");
    await runner.release();
  }
}

/** Half as long as to migrate, and there is a database for each test file. */
async function copyTables(dataSource: DataSource, template: string): Promise<void> {
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?",
    [template],
  );
  for (const { name } of tables) {
    await dataSource.query(`CREATE TABLE ${name} LIKE ${template}.${name}`);
    await dataSource.query(`INSERT INTO ${name} SELECT * FROM ${template}.${name}`);
  }
}
