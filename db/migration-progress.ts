import type { QueryRunner } from "typeorm";
import { errorNumber, messageOf } from "../core/errors.ts";

/**
 * MySQL's answers to a change of the schema that is there already: a table, a column or a key
 * exists, or has gone.
 */
const doneAlready = new Set([1050, 1054, 1060, 1061, 1091]);

/**
 * Creates the table of migrations under way. MySQL commits each change of the schema at once, so a
 * process that ends within a migration leaves a part. The table exists until no part is left.
 */
export async function createProgress(runner: QueryRunner): Promise<void> {
  await runner.query(
    `CREATE TABLE IF NOT EXISTS migration_progress (
       name VARCHAR(255) NOT NULL,
       ended INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'statements that have ended',
       refused TINYINT NOT NULL DEFAULT 0 COMMENT '1: MySQL refused the next statement',
       PRIMARY KEY (name)
     ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
  );
}

/** @returns the names of migrations that were interrupted. */
export async function listUnfinished(runner: QueryRunner): Promise<string[]> {
  if (!(await runner.hasTable("migration_progress"))) return [];
  const rows: { name: string }[] = await runner.query("SELECT name FROM migration_progress");
  return rows.map(({ name }) => name);
}

/** Drops the table unless a migration is unfinished. */
export async function dropProgress(runner: QueryRunner): Promise<void> {
  if ((await listUnfinished(runner)).length > 0) return;
  await runner.query("DROP TABLE IF EXISTS migration_progress");
}

/**
 * Runs the statements of a migration that have not ended yet, and then `record` with the end of its
 * progress in one transaction. A statement that changes rows runs once.
 * @throws Error naming the migration and the statement that MySQL refused.
 */
export async function runFromProgress(
  runner: QueryRunner,
  name: string,
  up: (counting: QueryRunner) => Promise<void>,
  record: () => Promise<void>,
): Promise<void> {
  const { ended, mayBeDone } = await begin(runner, name);
  let number = 0;
  const counting = Object.create(runner) as QueryRunner;
  counting.query = async (sql: string, parameters?: unknown[]) => {
    if (/^\s*SELECT\b/iu.test(sql)) return await runner.query(sql, parameters);
    number += 1;
    if (number <= ended) return undefined;
    const isRepeated = mayBeDone && number === ended + 1;
    return await runStatement(runner, { name, number, sql, parameters, isRepeated });
  };
  await up(counting);
  await inTransaction(runner, async () => {
    await record();
    await runner.query("DELETE FROM migration_progress WHERE name = ?", [name]);
  });
}

/** Reads where a migration stopped. `mayBeDone`: the next statement may have ended uncounted. */
async function begin(
  runner: QueryRunner,
  name: string,
): Promise<{ ended: number; mayBeDone: boolean }> {
  const [row]: { ended: number; refused: number }[] = await runner.query(
    "SELECT ended, refused FROM migration_progress WHERE name = ?",
    [name],
  );
  if (row === undefined) {
    await runner.query("INSERT INTO migration_progress (name) VALUES (?)", [name]);
    return { ended: 0, mayBeDone: false };
  }
  await runner.query("UPDATE migration_progress SET refused = 0 WHERE name = ?", [name]);
  return { ended: Number(row.ended), mayBeDone: Number(row.refused) === 0 };
}

interface Statement {
  name: string;
  /** Counted from 1, without those that only read. */
  number: number;
  sql: string;
  parameters: unknown[] | undefined;
  /** True where an interrupted process may have run the statement. */
  isRepeated: boolean;
}

async function runStatement(runner: QueryRunner, statement: Statement): Promise<unknown> {
  const { name, number, sql, parameters, isRepeated } = statement;
  const count = async (): Promise<void> => {
    const counted = "UPDATE migration_progress SET ended = ? WHERE name = ?";
    await runner.query(counted, [number, name]);
  };
  const isSchema = /^\s*(CREATE|ALTER|DROP|RENAME)\b/iu.test(sql);
  let isRefused = false;
  const run = async (): Promise<unknown> => {
    try {
      return await runner.query(sql, parameters);
    } catch (error) {
      const code = errorNumber(error) ?? 0;
      if (isSchema && isRepeated && doneAlready.has(code)) return undefined;
      // An answer of MySQL tells that the statement is not done. A lost connection tells nothing.
      isRefused = code > 0;
      throw error;
    }
  };
  const runAndCount = async (): Promise<unknown> => {
    const result = await run();
    await count();
    return result;
  };
  try {
    return isSchema ? await runAndCount() : await inTransaction(runner, runAndCount);
  } catch (error) {
    if (isRefused) await noteRefusal(runner, name);
    throw new Error(
      `The migration ${name} failed at statement ${number}: ${messageOf(error)}. When the cause is gone, npm run migrate goes on with this statement.`,
      { cause: error },
    );
  }
}

async function noteRefusal(runner: QueryRunner, name: string): Promise<void> {
  const sql = "UPDATE migration_progress SET refused = 1 WHERE name = ?";
  await runner.query(sql, [name]).catch(() => undefined);
}

async function inTransaction<T>(runner: QueryRunner, work: () => Promise<T>): Promise<T> {
  await runner.startTransaction();
  try {
    const result = await work();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    // A lost connection has rolled back by itself.
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}
