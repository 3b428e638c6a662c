import { setTimeout as sleep } from "node:timers/promises";
import type { DataSource, MigrationInterface, QueryRunner } from "typeorm";
import { expect, onTestFinished, test } from "vitest";
import { migrate, undoMigration } from "../../db/migrate.ts";
import { whileLocked } from "../support/database.ts";
import { schemaOf, startEmpty, startMigrated } from "./own-database.ts";

/** Some hundred processes, on a machine with other work. */
const sweepMs = 240_000;

async function open(): Promise<DataSource> {
  const { dataSource, stop } = await startEmpty();
  onTestFinished(stop);
  return dataSource;
}

/** Takes the named migration and those behind it from the list. */
function takeFrom(dataSource: DataSource, name: string): MigrationInterface[] {
  const { migrations } = dataSource;
  return migrations.splice(migrations.findIndex((one) => one.constructor.name === name));
}

/** Ends the connection as the end of its process does. */
function cut(runner: QueryRunner): void {
  (
    runner as QueryRunner & { databaseConnection: { destroy(): void } }
  ).databaseConnection.destroy();
}

/**
 * Calls `after` when a query has ended, before its result is used.
 * @returns stops that.
 */
function watch(
  dataSource: DataSource,
  after: (runner: QueryRunner, sql: string, parameters: unknown[]) => void,
): () => void {
  const create = dataSource.createQueryRunner.bind(dataSource);
  dataSource.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner);
    runner.query = async (...args: Parameters<typeof query>) => {
      const result = await query(...args);
      const [sql, parameters] = args;
      after(runner, sql, Array.isArray(parameters) ? parameters : []);
      return result;
    };
    return runner;
  };
  return () => {
    dataSource.createQueryRunner = create;
  };
}

/** With tables, columns, keys, a new name of a column, a primary key, rows, and reads between. */
const interrupted = new Set([
  "Conversations1770000000000",
  "UserLinks1770000200000",
  "InboxQueue1771000771000",
  "AgentKeys1772000010000",
  "MessageContents1772000510000",
  "CalendarConnections1772000700000",
]);

/**
 * Migrates with processes that each die after the first write of an `interrupted` migration that no
 * process before has made. A write and its commit are two.
 * @returns how many died.
 */
async function migrateDying(dataSource: DataSource): Promise<number> {
  const seen = new Set<string>();
  let [name, last] = ["", ""];
  const unwatch = watch(dataSource, (runner, sql, parameters) => {
    if (/FROM migration_progress WHERE/u.test(sql)) name = String(parameters[0]);
    if (!interrupted.has(name) || /^\s*(SELECT|START)\b/u.test(sql)) return;
    const write = JSON.stringify([name, sql, parameters, sql === "COMMIT" ? last : ""]);
    last = write;
    if (seen.has(write)) return;
    seen.add(write);
    cut(runner);
    throw new Error("The process died.");
  });
  while (await dies(migrate(dataSource)));
  unwatch();
  return seen.size;
}

async function dies(migrated: Promise<string[]>): Promise<boolean> {
  try {
    await migrated;
    return false;
  } catch (error) {
    if (!String(error).includes("The process died.")) throw error;
    return true;
  }
}

test(
  "a process may die after each write of a migration, and the next process goes on",
  async () => {
    const dataSource = await open();
    const names = dataSource.migrations.map((one) => one.constructor.name);
    const newer = takeFrom(dataSource, "CalendarConnections1772000700000");
    const died = await migrateDying(dataSource);
    await dataSource.query(
      `INSERT INTO calendar_links (account_id, resource_id, provider, calendar_id, state, sealed, key_id)
       VALUES (1, 1, 'google', 'a@example.com', 'connected', 'sealed', 'key')`,
    );
    dataSource.migrations.push(...newer);
    expect(died + (await migrateDying(dataSource))).toBeGreaterThan(80);
    const { dataSource: undisturbed, stop } = await startMigrated();
    onTestFinished(stop);
    expect(await schemaOf(dataSource)).toEqual(await schemaOf(undisturbed));
    const rows = await dataSource.query("SELECT name FROM migrations ORDER BY id");
    expect(rows).toEqual(names.map((name) => ({ name })));
    const connections = await dataSource.query(
      "SELECT external_id, sealed FROM calendar_connections",
    );
    expect(connections).toEqual([{ external_id: "link-1", sealed: "sealed" }]);
  },
  sweepMs,
);

test("no migration is undone while one is unfinished", async () => {
  const dataSource = await open();
  takeFrom(dataSource, "InboundEndpoints1770000100000");
  const unwatch = watch(dataSource, (runner, sql) => {
    if (!sql.startsWith("INSERT INTO change_sequence")) return;
    cut(runner);
    throw new Error("The process died.");
  });
  expect(await dies(migrate(dataSource))).toBe(true);
  unwatch();
  await expect(undoMigration(dataSource)).rejects.toThrow(
    "The migration Conversations1770000000000 is unfinished. Run npm run migrate first",
  );
  expect(await migrate(dataSource)).toEqual(["Conversations1770000000000"]);
  expect(await undoMigration(dataSource)).toBe("Conversations1770000000000");
});

test("a statement that MySQL refused is not taken for done", async () => {
  const dataSource = await open();
  takeFrom(dataSource, "Conversations1770000000000");
  await dataSource.query("CREATE TABLE accounts (id INT)");
  for (const _ of [1, 2]) {
    await expect(migrate(dataSource)).rejects.toThrow(
      /^The migration Foundation1769000000000 failed at statement \d+: Table 'accounts' already exists/u,
    );
  }
  await dataSource.query("DROP TABLE accounts");
  await migrate(dataSource);
  expect((await schemaOf(dataSource))["accounts"]).toContain("`created_at`");
});

test("a process that dies within a statement leaves the rest to the one that waits", async () => {
  const dataSource = await open();
  takeFrom(dataSource, "Pipelines1771000000000");
  const [retention] = takeFrom(dataSource, "Retention1770000500000");
  await migrate(dataSource);
  if (retention !== undefined) dataSource.migrations.push(retention);
  let runner: QueryRunner | undefined;
  const unwatch = watch(dataSource, (one, sql) => {
    if (sql.startsWith("INSERT INTO migration_progress")) runner = one;
  });
  let next: Promise<string[]> = Promise.resolve([]);
  await whileLocked(dataSource, "deliveries", async () => {
    // It never ends, as a dead process does not.
    void migrate(dataSource).catch(() => undefined);
    await expect.poll(async () => await countWaiting(dataSource)).toBe(1);
    if (runner !== undefined) cut(runner);
    unwatch();
    next = migrate(dataSource);
    await sleep(500);
  });
  expect(await next).toEqual(["Retention1770000500000"]);
  expect((await schemaOf(dataSource))["deliveries"]).toContain("KEY `deliveries_finished`");
});

/** Connections to the database that wait for a table. */
async function countWaiting(dataSource: DataSource): Promise<number> {
  const [{ name } = { name: "" }] = await dataSource.query<{ name: string }[]>(
    "SELECT DATABASE() AS name",
  );
  const processes =
    await dataSource.query<{ db: string | null; State: string | null }[]>("SHOW PROCESSLIST");
  return processes.filter(({ db, State }) => db === name && /metadata lock/u.test(State ?? ""))
    .length;
}
