import { expect } from "vitest";
import type { DataSource } from "typeorm";
import { transaction, type Tx } from "../../db/transaction.ts";

/** One line of EXPLAIN. */
export interface Step {
  table: string | null;
  key: string | null;
  type: string | null;
  ref: string | null;
  Extra: string | null;
}

/** The plan of every SELECT, UPDATE and DELETE that `work` sends, as MySQL itself explains it. */
export async function explain(
  dataSource: DataSource,
  work: (tx: Tx) => Promise<unknown>,
): Promise<Step[]> {
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
      if (/^\s*(SELECT|UPDATE|DELETE)/i.test(sql)) {
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
