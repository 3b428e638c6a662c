import type { DataSource } from "typeorm";
import { afterAll, beforeAll, expect } from "vitest";
import { transaction, type Tx } from "../../db/transaction.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** A step of a plan, as EXPLAIN shows it. */
export interface Step {
  /** Null where MySQL reads nothing. */
  table: string | null;
  key: string | null;
  type: string | null;
  ref: string | null;
  Extra: string | null;
}

/** What is to be explained; it runs in account 2 and is rolled back. */
export type Work = (tx: Tx) => Promise<unknown>;

/** The plan of every SELECT, UPDATE, DELETE and INSERT … WHERE EXISTS that `work` sends, as MySQL itself explains it. */
export async function explain(dataSource: DataSource, work: Work): Promise<Step[]> {
  const steps: Step[] = [];
  const rollBack = new Error("only looking");
  const actor = { type: "system", accountId: 2 } as const;
  const looking = transaction(dataSource, { actor }, async (tx) => {
    const runner = tx.manager.queryRunner;
    if (!runner) throw new Error("no runner");
    const query = runner.query.bind(runner);
    await query("SET SESSION explain_format = 'TRADITIONAL'");
    // Explains each statement just before it runs; what runs is untouched.
    const explaining = async (sql: string, ...rest: unknown[]): Promise<unknown> => {
      if (/^[\s(]*(WITH|SELECT|UPDATE|DELETE|INSERT[^;]*\sWHERE (NOT )?EXISTS)/i.test(sql)) {
        steps.push(...((await query(`EXPLAIN ${sql}`, rest[0] as unknown[])) as Step[]));
      }
      return await Reflect.apply(query, runner, [sql, ...rest]);
    };
    Reflect.set(runner, "query", explaining);
    try {
      await work(tx);
    } finally {
      Reflect.set(runner, "query", query);
    }
    throw rollBack;
  });
  await expect(looking).rejects.toBe(rollBack);
  expect(steps.length).toBeGreaterThan(0);
  return steps;
}

/** The indexes that `table` is read by, and `sorted` or `scanned` where that is not all there is to it. */
export async function explainTable(
  dataSource: DataSource,
  work: Work,
  table: string,
): Promise<Set<string | null>> {
  const own = (await explain(dataSource, work)).filter((step) => step.table === table);
  return new Set(
    own.flatMap(({ key, type, Extra }) => [
      key,
      ...(/filesort|temporary/.test(Extra ?? "") ? ["sorted"] : []),
      ...(type === "ALL" || type === "index_merge" ? ["scanned"] : []),
    ]),
  );
}

/** A database for the plans of one test file, which `fill` fills before its tests. */
export function usePlans(fill: (dataSource: DataSource) => Promise<void>) {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await fill(database.dataSource);
  });
  afterAll(async () => await database.stop());
  return {
    dataSource: (): DataSource => database.dataSource,
    plansOf: async (work: Work) => await explain(database.dataSource, work),
    indexesOf: async (work: Work, table: string) =>
      await explainTable(database.dataSource, work, table),
  };
}
