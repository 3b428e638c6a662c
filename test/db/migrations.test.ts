import { randomBytes } from "node:crypto";
import type { DataSource } from "typeorm";
import { afterEach, expect, inject, onTestFinished, test } from "vitest";
import { namingOf } from "../../core/model/installation.ts";
import { readInstallation } from "../../db/boot-checks.ts";
import { entities } from "../../db/entities/index.ts";
import { createDataSource } from "../../db/data-source.ts";
import { migrate, undoMigration } from "../../db/migrate.ts";
import { migrations } from "../../db/migrations/index.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";
import { useFixture } from "../support/use-fixture.ts";
import { schemaOf, startBefore, startMigrated } from "./own-database.ts";

const opened: { dataSource: DataSource; name: string }[] = [];

/** An empty database; with a name, another pool on the same one. */
async function open(name = `t_${process.pid}_${randomBytes(4).toString("hex")}`) {
  const url = await createDatabase(inject("mysqlUrl"), name);
  const dataSource = await createDataSource({ url, poolSize: 4 }).initialize();
  opened.push({ dataSource, name });
  return { dataSource, name };
}

/** The schema after every migration, for tests that only read. */
const current = useFixture(startMigrated);

/** A database of before the named migration. */
async function openBefore(name: string): Promise<DataSource> {
  const { dataSource, stop } = await startBefore(name);
  onTestFinished(stop);
  return dataSource;
}

afterEach(async () => {
  for (const { dataSource, name } of opened.splice(0)) {
    await dataSource.query(`DROP DATABASE IF EXISTS ${name}`);
    await dataSource.destroy();
  }
});

test("up, all the way down and up again leaves the same schema, and down leaves nothing", async () => {
  const { dataSource } = await open();
  expect(await migrate(dataSource)).toEqual(migrations.map(({ name }) => name));
  const first = await schemaOf(dataSource);
  for (const { name } of migrations.toReversed())
    expect(await undoMigration(dataSource)).toBe(name);
  expect(await undoMigration(dataSource)).toBeNull();
  expect(Object.keys(await schemaOf(dataSource))).toEqual(["migrations"]);
  await migrate(dataSource);
  expect(await schemaOf(dataSource)).toEqual(first);
  expect(Object.keys(first)).toHaveLength(entities.length + 1);
});

test("running it again does nothing", async () => {
  expect(await migrate(current.dataSource)).toEqual([]);
});

test("the schema is what the entities say", async () => {
  const { upQueries } = await current.dataSource.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);
});

test("several processes may migrate at once: one runs each migration, all end well", async () => {
  const { name, dataSource } = await open();
  const others = [await open(name), await open(name)];
  const ran = await Promise.all(
    [dataSource, ...others.map((one) => one.dataSource)].map((one) => migrate(one)),
  );
  expect(ran.flat()).toEqual(migrations.map((migration) => migration.name));
  const [row] = await dataSource.query<{ n: number }[]>("SELECT COUNT(*) AS n FROM migrations");
  expect(Number(row?.n)).toBe(migrations.length);
});

test("where another process migrates for too long, up and down fail and change nothing", async () => {
  const { dataSource } = await open();
  const holder = dataSource.createQueryRunner();
  await holder.query("SELECT GET_LOCK('parley_migrate', 600)");
  try {
    await expect(migrate(dataSource, 0)).rejects.toThrow(/Another process has been migrating/);
    await expect(undoMigration(dataSource, 0)).rejects.toThrow(
      /Another process has been migrating/,
    );
    expect(await schemaOf(dataSource)).toEqual({});
    // Who did not get the lock does not let go of it either.
    const [row] = await dataSource.query("SELECT IS_USED_LOCK('parley_migrate') IS NULL AS free");
    expect(Number(row.free)).toBe(0);
  } finally {
    await holder.query("SELECT RELEASE_LOCK('parley_migrate')");
    await holder.release();
  }
  expect(await migrate(dataSource)).toHaveLength(migrations.length);
});

test("a migration that fails lets go of its lock, so that the next one may try", async () => {
  const { dataSource } = await open();
  await dataSource.query("CREATE TABLE accounts (id INT)");
  await expect(migrate(dataSource)).rejects.toThrow(/accounts/);
  await dataSource.query("DROP TABLE accounts");
  expect(await migrate(dataSource)).toHaveLength(migrations.length);
});

test("every table is InnoDB and utf8mb4, every moment has milliseconds, every id fits a JSON number", async () => {
  const tables = await current.dataSource.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR table_collation <> 'utf8mb4_0900_ai_ci') AND table_name <> 'migrations'",
  );
  expect(tables).toEqual([]);
  const moments = await current.dataSource.query(
    "SELECT table_name AS t, column_name AS c FROM information_schema.columns WHERE table_schema = DATABASE() AND (data_type IN ('timestamp', 'date', 'time') OR (data_type = 'datetime' AND datetime_precision <> 3))",
  );
  expect(moments).toEqual([]);
});

test("every table of an account says whose its rows are", async () => {
  const without = await current.dataSource.query<{ name: string }[]>(
    `SELECT t.table_name AS name FROM information_schema.tables t
      WHERE t.table_schema = DATABASE() AND NOT EXISTS (
        SELECT 1 FROM information_schema.columns c
         WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.column_name = 'account_id')
      ORDER BY 1`,
  );
  // The reads of a notification belong to a person and hang on a row that has it. Preferences are
  // a person's in all accounts. A process serves all accounts.
  expect(without.map(({ name }) => name)).toEqual([
    "accounts",
    "busy_processes",
    "change_sequence",
    "installation",
    "migrations",
    "notification_preferences",
    "notification_reads",
    "process_presence",
    "users",
    "worker_heartbeats",
  ]);
});

test("an installation that is older than its id keeps its names in Temporal", async () => {
  const dataSource = await openBefore("InstallationId1771000710000");
  await dataSource.query("INSERT INTO installation (id, secret_check) VALUES (1, 'sealed')");
  await migrate(dataSource);
  const fixture = await readInstallation(dataSource);
  expect(fixture).toEqual({ id: expect.stringMatching(/^\w{6}$/), hasPlainNames: true });
  expect(namingOf(fixture)("message-1")).toBe("message-1");
});

test("whoever wanted a mail when a conversation needs them still gets it, up and down", async () => {
  const dataSource = await openBefore("NotificationPreferences1771000762000");
  for (const wants of [1, 0]) {
    await dataSource.query(
      "INSERT INTO users (email, name, password_hash, mail_needs_person) VALUES (?, 'x', '-', ?)",
      [`wants${wants}@example.com`, wants],
    );
  }
  await migrate(dataSource);
  const rows = await dataSource.query(
    `SELECT u.email, p.kind, p.app, p.desktop, p.email AS mail FROM notification_preferences p
       JOIN users u ON u.id = p.user_id`,
  );
  expect(rows).toEqual([
    {
      email: "wants1@example.com",
      kind: "conversation_handed_off",
      app: 1,
      desktop: 0,
      mail: 1,
    },
  ]);
  while ((await undoMigration(dataSource)) !== "NotificationPreferences1771000762000");
  const back = await dataSource.query("SELECT mail_needs_person AS wants FROM users ORDER BY id");
  expect(back).toEqual([{ wants: 1 }, { wants: 0 }]);
});
