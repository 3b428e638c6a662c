import { MigrationExecutor, type DataSource } from "typeorm";

const lockName = "parley_migrate";
const lockSeconds = 600;

/**
 * Brings the schema up to date. Several processes may call it at once: one runs, the others wait.
 * @returns the names of the migrations that ran.
 * @throws Error if another process still migrates after `waitSeconds`.
 */
export async function migrate(
  dataSource: DataSource,
  waitSeconds = lockSeconds,
): Promise<string[]> {
  return await locked(dataSource, waitSeconds, async () => {
    const ran = await dataSource.runMigrations({ transaction: "none" });
    return ran.map(({ name }) => name);
  });
}

/**
 * Undoes the newest migration.
 * @returns its name, or null if there was none.
 * @throws Error if another process still migrates after `waitSeconds`.
 */
export async function undoMigration(
  dataSource: DataSource,
  waitSeconds = lockSeconds,
): Promise<string | null> {
  return await locked(dataSource, waitSeconds, async () => {
    const executor = new MigrationExecutor(dataSource);
    const before = await executor.getExecutedMigrations();
    await dataSource.undoLastMigration({ transaction: "none" });
    const after = new Set((await executor.getExecutedMigrations()).map(({ name }) => name));
    return before.find(({ name }) => !after.has(name))?.name ?? null;
  });
}

async function locked<T>(
  dataSource: DataSource,
  waitSeconds: number,
  work: () => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    const sql = "SELECT GET_LOCK(?, ?) AS got";
    const [row] = await runner.manager.query<{ got: unknown }[]>(sql, [lockName, waitSeconds]);
    if (Number(row?.got) !== 1) {
      throw new Error(
        `Another process has been migrating for ${waitSeconds} s (GET_LOCK "${lockName}"). Nothing was changed; try again when it has ended.`,
      );
    }
    try {
      return await work();
    } finally {
      await runner.query("SELECT RELEASE_LOCK(?)", [lockName]);
    }
  } finally {
    await runner.release();
  }
}
