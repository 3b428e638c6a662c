import { randomBytes } from "node:crypto";
import type { DataSource } from "typeorm";
import { inject } from "vitest";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";

/** A database that a test migrates itself. */
export interface OwnDatabase {
  dataSource: DataSource;
  /** Drops the database. */
  stop: () => Promise<void>;
}

/** Makes a database with the schema that `migrate` leaves. */
export async function startMigrated(): Promise<OwnDatabase> {
  const database = await startEmpty();
  await migrate(database.dataSource);
  return database;
}

/**
 * Makes a database of a release of before: with every migration that comes before the named one.
 * `migrate` brings it up to date.
 */
export async function startBefore(name: string): Promise<OwnDatabase> {
  const database = await startEmpty();
  const { migrations } = database.dataSource;
  const place = migrations.findIndex((one) => one.constructor.name === name);
  if (place === -1) throw new Error(`No migration has the name ${name}.`);
  // To make the newer ones and undo them takes three times as long.
  const newer = migrations.splice(place);
  await migrate(database.dataSource);
  migrations.push(...newer);
  return database;
}

/** Makes an empty database. */
export async function startEmpty(): Promise<OwnDatabase> {
  const name = `t_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await createDatabase(inject("mysqlUrl"), name);
  const dataSource = await createDataSource({ url, poolSize: 4 }).initialize();
  return {
    dataSource,
    async stop() {
      await dataSource.query(`DROP DATABASE ${name}`);
      await dataSource.destroy();
    },
  };
}

/** Every table as MySQL would make it again. */
export async function schemaOf(dataSource: DataSource): Promise<Record<string, string>> {
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1",
  );
  const schema: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await dataSource.query<Record<string, string>[]>(`SHOW CREATE TABLE ${name}`);
    schema[name] = String(row?.["Create Table"]).replace(/ AUTO_INCREMENT=\d+/, "");
  }
  return schema;
}
