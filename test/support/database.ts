import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type DataSource } from "typeorm";
import { createDataSource } from "../../db/data-source.ts";
import { migrate } from "../../db/migrate.ts";
import { createDatabase } from "../../dev/servers/mysql.ts";

/** A database of its own for one test file. */
export interface TestDatabase {
  /** With the database in it. */
  url: string;
  dataSource: DataSource;
  /** Closes the connections. Nobody reads the data any more. */
  stop(): Promise<void>;
}

/** Makes an empty, migrated database on the run's private server, or on another. */
export async function createTestDatabase(serverUrl = inject("mysqlUrl")): Promise<TestDatabase> {
  if (serverUrl === inject("mysqlUrl")) return await takeDatabase(serverUrl);
  const fresh = await createEmpty(serverUrl, "t");
  await migrate(fresh.dataSource);
  return { ...fresh, stop: async () => await drop(fresh) };
}

/** URLs of the databases of this process that no test file uses now. To empty one is quick. */
const unused: string[] = [];

async function takeDatabase(serverUrl: string): Promise<TestDatabase> {
  const template = inject("mysqlTemplate");
  const { url, dataSource } = (await takeUnused(template)) ?? (await copyOf(serverUrl, template));
  return {
    url,
    dataSource,
    async stop() {
      await dataSource.destroy();
      unused.push(url);
    },
  };
}

async function takeUnused(template: string): Promise<OpenDatabase | null> {
  for (let url = unused.pop(); url !== undefined; url = unused.pop()) {
    const dataSource = await open(url);
    if (await isReusable({ url, dataSource }, template)) {
      await empty(dataSource, template);
      return { url, dataSource };
    }
    await drop({ url, dataSource });
  }
  return null;
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

interface OpenDatabase {
  url: string;
  dataSource: DataSource;
}

async function createEmpty(serverUrl: string, prefix: string): Promise<OpenDatabase> {
  const name = `${prefix}_${process.pid}_${randomBytes(4).toString("hex")}`;
  const url = await createDatabase(serverUrl, name);
  return { url, dataSource: await open(url) };
}

async function open(url: string): Promise<DataSource> {
  return await createDataSource({ url, poolSize: 60 }).initialize();
}

async function drop({ url, dataSource }: OpenDatabase): Promise<void> {
  await dataSource.query(`DROP DATABASE ${nameIn(url)}`);
  await dataSource.destroy();
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Takes half as long as to migrate. */
async function copyOf(serverUrl: string, template: string): Promise<OpenDatabase> {
  const copy = await createEmpty(serverUrl, template);
  const { dataSource } = copy;
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?",
    [template],
  );
  for (const { name } of tables) {
    await dataSource.query(`CREATE TABLE ${name} LIKE ${template}.${name}`);
    await dataSource.query(`INSERT INTO ${name} SELECT * FROM ${template}.${name}`);
  }
  return copy;
}

/** False where a test changed tables, or where somebody who may still write is connected. */
async function isReusable({ url, dataSource }: OpenDatabase, template: string): Promise<boolean> {
  const shapeOf = (schema: string): string =>
    `(SELECT CONCAT(COUNT(*), ' ', SUM(CRC32(CONCAT_WS('|', table_name, column_name, column_type, is_nullable))))
        FROM information_schema.columns WHERE table_schema = ${schema})`;
  const [row] = await dataSource.query<{ reusable: number }[]>(
    `SELECT ${shapeOf("DATABASE()")} = ${shapeOf("?")}
        AND NOT EXISTS (SELECT 1 FROM information_schema.triggers WHERE trigger_schema = DATABASE())
          AS reusable`,
    [template],
  );
  return Number(row?.reusable) === 1 && (await countConnections({ url, dataSource })) === 1;
}

/**
 * Connections to the database. The table of processes would do too, but to read it fails while any
 * process runs a statement with an emoji.
 */
async function countConnections({ url, dataSource }: OpenDatabase): Promise<number> {
  const name = nameIn(url);
  const processes = await dataSource.query<{ db: string | null }[]>("SHOW PROCESSLIST");
  return processes.filter(({ db }) => db === name).length;
}

/** Empties the tables that were written to, so that ids begin at 1 again. */
async function empty(dataSource: DataSource, template: string): Promise<void> {
  const runner = dataSource.createQueryRunner();
  // Else the next ids are those of up to a day ago.
  await runner.query("SET SESSION information_schema_stats_expiry = 0");
  const tables: { name: string; nextId: number | null }[] = await runner.query(
    `SELECT table_name AS name, auto_increment AS nextId
       FROM information_schema.tables WHERE table_schema = DATABASE()`,
  );
  const listFilled = async (prefix: string): Promise<Set<string>> => {
    const looks = tables.map(
      ({ name }) => `(SELECT '${name}' AS name FROM ${prefix}${name} LIMIT 1)`,
    );
    const rows: { name: string }[] = await runner.query(looks.join(" UNION ALL "));
    return new Set(rows.map(({ name }) => name));
  };
  const filled = await listFilled("");
  for (const { name, nextId } of tables) {
    if (filled.has(name) || Number(nextId) > 1) await runner.query(`TRUNCATE TABLE ${name}`);
  }
  for (const name of await listFilled(`${template}.`)) {
    await runner.query(`INSERT INTO ${name} SELECT * FROM ${template}.${name}`);
  }
  await runner.release();
}
