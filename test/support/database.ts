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
  await migrate(dataSource);
  return {
    url,
    dataSource,
    async destroy() {
      await dataSource.query(`DROP DATABASE ${name}`);
      await dataSource.destroy();
    },
  };
}
