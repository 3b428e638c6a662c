import { pathToFileURL } from "node:url";
import type { DataSource } from "typeorm";
import { loadConfig } from "../core/config.ts";
import { createDataSource } from "./data-source.ts";

const lockName = "parley_migrate";

/**
 * Brings the schema up to date. Several processes may call it at once: one runs, the others wait.
 * @returns the names of the migrations that ran.
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query("SELECT GET_LOCK(?, 600)", [lockName]);
    const ran = await dataSource.runMigrations({ transaction: "none" });
    return ran.map((migration) => migration.name);
  } finally {
    await runner.query("SELECT RELEASE_LOCK(?)", [lockName]);
    await runner.release();
  }
}

async function main(): Promise<void> {
  const dataSource = await createDataSource({
    url: loadConfig().databaseUrl,
    poolSize: 2,
  }).initialize();
  try {
    if (process.argv.includes("--down"))
      await dataSource.undoLastMigration({ transaction: "none" });
    const ran = process.argv.includes("--down") ? [] : await migrate(dataSource);
    process.stdout.write(
      ran.length === 0 ? "The schema is up to date.\n" : `Ran ${ran.join(", ")}.\n`,
    );
  } finally {
    await dataSource.destroy();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
