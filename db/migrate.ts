import { MigrationExecutor, type DataSource, type QueryRunner } from "typeorm";
import {
  createProgress,
  dropProgress,
  listUnfinished,
  runFromProgress,
} from "./migration-progress.ts";

const lockName = "parley_migrate";
const lockSeconds = 600;

/**
 * Brings the schema up to date. Several processes may call it at once: one runs, the others wait. A
 * migration that was interrupted goes on where it stopped.
 * @returns the names of the migrations that ran.
 * @throws Error if another process still migrates after `waitSeconds`, or if a statement fails.
 */
export async function migrate(
  dataSource: DataSource,
  waitSeconds = lockSeconds,
): Promise<string[]> {
  return await locked(dataSource, waitSeconds, async (runner) => {
    const executor = new MigrationExecutor(dataSource, runner);
    const pending = (await executor.showMigrations()) ? await executor.getPendingMigrations() : [];
    if (pending.length > 0) await createProgress(runner);
    for (const migration of pending) {
      const up = async (counting: QueryRunner) => await migration.instance?.up(counting);
      const record = async () => await executor.insertMigration(migration);
      await runFromProgress(runner, migration.name, up, record);
    }
    await dropProgress(runner);
    return pending.map(({ name }) => name);
  });
}

/**
 * Undoes the newest migration.
 * @returns its name, or null if there was none.
 * @throws Error if another process still migrates after `waitSeconds`, or if a migration is
 * unfinished.
 */
export async function undoMigration(
  dataSource: DataSource,
  waitSeconds = lockSeconds,
): Promise<string | null> {
  return await locked(dataSource, waitSeconds, async (runner) => {
    const [unfinished] = await listUnfinished(runner);
    if (unfinished !== undefined) {
      throw new Error(
        `The migration ${unfinished} is unfinished. Run npm run migrate first, which goes on where it stopped.`,
      );
    }
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = "none";
    const before = await executor.getExecutedMigrations();
    await executor.undoLastMigration();
    const after = new Set((await executor.getExecutedMigrations()).map(({ name }) => name));
    return before.find(({ name }) => !after.has(name))?.name ?? null;
  });
}

/**
 * Works on the connection that holds the lock. Where a process has died, MySQL may still run its
 * last statement, and keeps the lock as long.
 */
async function locked<T>(
  dataSource: DataSource,
  waitSeconds: number,
  work: (runner: QueryRunner) => Promise<T>,
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
      return await work(runner);
    } finally {
      // A lost connection has no lock, and the error of the work is the one to report.
      await runner.query("SELECT RELEASE_LOCK(?)", [lockName]).catch(() => undefined);
    }
  } finally {
    await runner.release();
  }
}
